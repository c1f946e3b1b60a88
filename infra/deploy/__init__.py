"""The deployment of a stage: checks of the account, the changes, a confirmation, and then the stacks."""
