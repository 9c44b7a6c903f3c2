"""What every page that Cleverdon writes shares: one HTML file that asks the network for nothing."""
