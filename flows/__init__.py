"""When each stage runs: DVC and Prefect live here and nowhere else."""

import os

# Here, as they must be set before NumPy, Prefect and DVC are imported: nothing phones home, and a slow machine may take its time to
# start Prefect's server.
DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "OMP_NUM_THREADS": "1",  # parallel work is by metric or fold; BLAS threads beside it only get in its way
    "DVC_NO_ANALYTICS": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
}
os.environ.update({**DEFAULTS, **os.environ})
