"""Do scores of template sentences differ by who they name: regressions, clustered and mixed alternatives, effects on the score's scale."""
