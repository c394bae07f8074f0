"""Every sentence and every block people see: pure functions of state."""
