"""What assessors do: which document comes next, and what is said of it."""
