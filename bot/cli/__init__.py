"""The command line: each command reads the settings, does one thing and returns an exit code.

0: done; 1: the operator has to act. A new command: its lines in ``main._parser``, its function there or in the module
of its subject.
"""
