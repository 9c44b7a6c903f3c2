"""The page toolkit: self-contained HTML files that ask the network for nothing."""
