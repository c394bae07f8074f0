"""Every sentence and block that people see, as pure functions of state.

Foreign text goes into ``plain_text`` or through ``blocks.text.escape``. A message's ``text`` is complete without its
blocks. Labels of buttons and words for final states are part of the interface.
"""
