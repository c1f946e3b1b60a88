"""The CloudWatch dashboard of a stage: a section for each question that operators ask first."""
