"""Settling disagreements: what people differ on, and the rulings of administrators."""
