"""What would it cost if: variations of one config, and configs side by side."""
