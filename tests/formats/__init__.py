"""Reading and writing: every format against every other, and every kind of damage."""
