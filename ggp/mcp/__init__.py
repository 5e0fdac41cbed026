"""A server for language models: the commands of `ggp` as tools of the Model Context Protocol.

A *tool* is one command: its arguments become a command line, its JSON a short answer. Each call runs in a process of its
own (`apart`), within limits on time and memory, and knows of files only what lies below one folder (`sources`).
"""
