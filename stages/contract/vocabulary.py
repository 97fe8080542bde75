"""Words that stand in tables and that more than one shelf looks for."""

# The verdict on whatever is made of decisions, where the model selects everybody or nobody: its gaps say nothing of groups.
COLLAPSED = "collapsed model"
# In the column ``group`` of scores, the rows that a gate reads: the most extreme group, or set, of all, tested against as many by chance.
ANY_GROUP, ANY_SET = "any group of any set", "any set"
# The most extreme group of one set, with its own test.
ANY_OF_SET = "any group"
