"""Every sentence and every block that people see, as pure functions of state.

Foreign text goes into ``plain_text`` or through ``blocks.text.escape``. A message's ``text`` is complete without its
blocks. Others rely on the words of buttons and of final states.
"""
