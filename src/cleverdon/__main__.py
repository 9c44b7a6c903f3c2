"""`python -m cleverdon` is the command `cleverdon`."""

from cleverdon.cli import main

if __name__ == "__main__":
    main()
