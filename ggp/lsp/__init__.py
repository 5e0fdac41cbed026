"""A language server for GDL: what editors ask about rules while they are written.

- **word**: a name, a variable or a keyword as it stands in the text, with its offset (`words`).
- **finding**: a problem as editors are told of it (`findings`).
- **knowledge**: what can stand where, and how many ground instances there are (`knowledge`).

`answers` has what is said to each question, from texts and offsets alone; `server` speaks the protocol.
"""
