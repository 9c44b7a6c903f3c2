"""The judging app: a project folder, a database, and a web app in which people judge documents."""
