"""The web app: pages that work without JavaScript, and an HTTP API for all that they do."""
