"""Design studies: many mechanisms, one task, measures of each; resumed where they stopped."""
