"""Payments as people see them: cards, news, answers, forms."""
