"""The command line `punctual`.

How a command is added:

1. A module `punctual.cli.<name>` has `add_to(app)`, which adds its commands to a `typer.Typer`.
2. `punctual.cli.main.MODULES` has one line for the module, with the names of its commands.
3. A command takes `context: typer.Context` and asks `session_of(context)` for everything else: the client, the
   output, the clock and the terminal (`punctual.cli.session`).
4. The module imports the SDK only for types, or inside of commands, so that `punctual --help` starts fast.
5. Results go to `session.show_list`, `show_one` or `show`; everything else goes to `session.note`.
6. A command raises `CommandError`, or lets the errors of the SDK pass: `punctual.cli.exits` has the exit codes.

Every command has `-o`, `--json`, `--quiet`, `--profile` and `--url`, unless it uses one of these names by itself.
"""
