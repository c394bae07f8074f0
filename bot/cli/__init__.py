"""The command line: each command reads the settings, does one thing and returns an exit code.

The code is 0 on success and 1 if the operator must act. To add a command, extend ``main._parser`` and write its
function there or in the module of its subject.
"""
