"""Prefect's task runners for workers on other machines, once it is sure that somebody is there and can answer."""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

import httpx
from prefect.settings import get_current_settings
from prefect.task_runners import TaskRunner

from stages.contract.bad_input import BadInput

PATIENCE = 10  # seconds that a scheduler may take to answer


def runner(address: str) -> TaskRunner[Any]:
    """Prefect's task runner for a Dask scheduler at tcp://HOST:8786 (tls://...), or for Ray at ray://HOST:10001.

    BadInput: another kind of address, nobody there, a package that is missing, or a Prefect server that workers cannot reach.
    """
    kinds = {"tcp": _dask, "tls": _dask, "ray": _ray}
    kind = urlsplit(address).scheme
    if kind not in kinds:
        raise BadInput(f"--workers {address}: give the address of a Dask scheduler (tcp://HOST:8786) or of Ray (ray://HOST:10001).")
    _check_server(address)
    try:
        return kinds[kind](address)
    except ImportError as error:
        raise BadInput(f"--workers {address}: {error.name} is not installed; install the extra dask or ray of crossbias.") from error
    except OSError as error:  # time-outs and broken connections among them
        raise BadInput(f"--workers {address}: nobody answers there ({' '.join(str(error).split())[:200]}).") from error


def _dask(address: str) -> TaskRunner[Any]:
    from distributed import Client
    from prefect_dask import DaskTaskRunner

    with Client(address, timeout=PATIENCE, set_as_default=False):
        return DaskTaskRunner(address=address)


def _ray(address: str) -> TaskRunner[Any]:
    import ray
    from prefect_ray import RayTaskRunner

    if not ray.is_initialized():
        ray.init(address, namespace="prefect", log_to_driver=False)
    return RayTaskRunner(address)


def _check_server(address: str) -> None:
    """Tasks report to Prefect from the machine they run on; a server that Prefect starts by itself is heard on this machine alone."""
    url = get_current_settings().api.url
    if url is None:
        raise BadInput("--workers needs a Prefect server that every worker reaches: run `prefect server start` and set PREFECT_API_URL.")
    if _is_loopback(url) and not _is_loopback(address):
        raise BadInput(f"PREFECT_API_URL is {url}, which to every other machine is itself: set it to this machine's address.")
    try:
        httpx.get(f"{url}/health", timeout=PATIENCE)
    except httpx.HTTPError as error:
        raise BadInput(f"PREFECT_API_URL is {url}, where no Prefect server answers ({error}).") from error


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
