"""Games and matches of others: public collections, games servers, dumps of databases and archives of matches.

Sources give rulesheets as they are kept elsewhere (`sheets`): `collection` reads folders and archives, `server` a games
server, `dump` a database. `intake` checks them and takes those that are new; `matches` does so with records.
"""
