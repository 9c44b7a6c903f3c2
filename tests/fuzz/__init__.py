"""Damaged inputs by the thousand: an error that Cleverdon means, or what a slow parser reads."""
