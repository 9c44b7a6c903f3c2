"""What comes into a project: judgments that were made elsewhere, by people or by models."""
