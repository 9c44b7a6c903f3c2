"""The C/W/L family: measures as models of users."""
