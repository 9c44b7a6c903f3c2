"""Accounts: roles and rights, passwords, sign-in links, who is signed in, tokens."""
