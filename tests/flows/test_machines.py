"""Steps that run elsewhere end where `dvc repro` ends, to the byte; what goes wrong far away is one sentence here, and holds no secret."""

import itertools
import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from dvc.repo import Repo

from flows import orders
from flows.engine import Engine
from flows.machines import Machines
from flows.objects import public
from flows.orders import Order, Receipt, order_of
from flows.plan import Step
from flows.process import StageFailed
from flows.worker import OrderFailed, perform
from stages.contract.bad_input import BadInput
from tests.flows import conftest
from tests.flows.conftest import make, single
from tests.flows.test_engine import files

# pygtrie, which DVC uses, warns of its own future, and botocore of its use of the clock.
pytestmark = [
    pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning"),
    pytest.mark.filterwarnings(r"ignore:datetime.datetime.utcnow\(\):DeprecationWarning"),
]
SECRET = "a-key-that-nobody-may-see"  # noqa: S105
Remote = Callable[[Path], None]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of an object store like S3 on this machine, with a bucket."""
    moto = pytest.importorskip("moto.server", reason="moto, which plays S3, is not installed")
    pytest.importorskip("dvc_s3", reason="the extra s3 is not installed")
    import boto3

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    boto3.client("s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="id", aws_secret_access_key=SECRET).create_bucket(
        Bucket="store"
    )
    yield address
    server.stop()


@pytest.fixture(params=["a shared folder", "an object store"])
def remote(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    """Gives a repository its remote: a folder that all machines see, or S3, whose keys each machine has in its environment."""
    if request.param == "a shared folder":
        return lambda folder: configure(folder, url=str(tmp_path / "store"))
    address = request.getfixturevalue("bucket")
    for name, value in {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    return lambda folder: configure(folder, url=f"s3://store/{tmp_path.name}", endpointurl=address)


def configure(folder: Path, local: bool = False, **entries: str) -> None:
    """Write a remote "store" into .dvc/config, or .dvc/config.local, as `dvc remote add` does."""
    text = "".join(f"    {key} = {value}\n" for key, value in entries.items())
    with (folder / ".dvc" / ("config.local" if local else "config")).open("a") as file:
        file.write(f"['remote \"store\"']\n{text}")


def run(folder: Path, carry_out: Callable[[Step, Order], Receipt], name: str | None = "store") -> dict[str, str]:
    """Bring a repository up to date, its commands carried out elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with Engine() as engine:
            machines = Machines(engine, name, carry_out)
            return {step.name: machines.run(step) for step in engine.plan().steps}


def silent(line: str) -> None:
    pass


def test_two_workers_end_as_dvc_repro_does(remote: Remote, tmp_path: Path, finished: Path) -> None:
    folder, heard = make(tmp_path / "repo"), []
    remote(folder)
    workers = itertools.cycle([tmp_path / "one", tmp_path / "two"])
    assert set(run(folder, lambda _, order: perform(order, heard.append, next(workers))).values()) == {"ran"}
    assert files(folder) == files(finished)
    assert (folder / "logs" / "evaluate.log").read_text() == heard[0] + "\n"
    assert sorted(path.name for path in [*(tmp_path / "one").iterdir(), *(tmp_path / "two").iterdir()]) == [".cache"] * 2 + ["objects"] * 2
    with Repo(folder) as repo:
        assert repo.push(remote="store") == 0  # the remote has all of it


def test_an_order_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker is told is what Git may hold; keys of .dvc/config.local and of the environment stay where they are."""
    folder = single(tmp_path / "repo", "cp raw.txt data/only.txt")
    configure(folder, url="s3://store", endpointurl="http://127.0.0.1:9", region="x", access_key_id=SECRET)
    configure(folder, local=True, secret_access_key=SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.chdir(folder)
    with Engine() as engine:
        (step,) = engine.plan().steps
        begun = engine.begin(step)
        assert isinstance(begun, Step)
        order = order_of(begun, engine.repo, public(engine.repo.config, "store"))
    assert order.remote == {"name": "store", "url": "s3://store", "endpointurl": "http://127.0.0.1:9", "region": "x"}
    assert SECRET not in json.dumps(asdict(order))
    with pytest.raises(StageFailed, match="only: remote store cannot be used from this machine: ") as caught:
        perform(order, silent, tmp_path / "worker")  # nobody listens at that port
    assert SECRET not in str(caught.value)


def test_a_remote_is_needed_and_its_address_holds_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make(tmp_path / "repo"))
    with Engine() as engine, pytest.raises(BadInput, match=r"workers share files through a DVC remote.* there are none"):
        public(engine.repo.config, None)
    configure(tmp_path / "repo", url=f"https://me:{SECRET}@store.example")
    with Engine() as engine, pytest.raises(BadInput, match="its address holds a password") as caught:
        public(engine.repo.config, "store")
    assert SECRET not in str(caught.value)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a repository of one stage, with a shared folder as its remote, and goes there."""

    def make_alone(command: str) -> Path:
        folder = single(tmp_path / "repo", command)
        configure(folder, url=str(tmp_path / "store"))
        monkeypatch.chdir(folder)
        return folder

    return make_alone


def test_a_failed_command_is_told_in_full(alone: Callable[[str], Path], tmp_path: Path) -> None:
    folder = alone("seq 100 && echo no such file >&2 && exit 7")
    with pytest.raises(OrderFailed, match=r"only ended with exit code 7: no such file .*logs/only\.log") as caught:
        run(folder, lambda _, order: perform(order, silent, tmp_path / "worker"))
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (as Dask and Ray send it)
    assert (again.code, again.lines[-1], str(again)) == (7, "no such file", str(caught.value))
    assert (folder / "logs" / "only.log").read_text().splitlines() == [*(str(number) for number in range(1, 101)), "no such file"]
    assert not list((tmp_path / "worker").glob("step.*"))
    assert not (folder / "dvc.lock").exists()


def test_a_command_that_makes_nothing_has_failed(alone: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(StageFailed, match=r"only: output 'data/only\.txt' does not exist"):
        run(alone("'true'"), lambda _, order: perform(order, silent, tmp_path / "worker"))


def test_a_retried_step_finds_what_it_had_fitted(alone: Callable[[str], Path], tmp_path: Path) -> None:
    """.cache stays with the worker, so that folds fitted before a crash are not fitted again; folders of dead workers go."""
    folder = alone("test -f .cache/fold && cp .cache/fold data/only.txt || { echo fitted > .cache/fold; exit 1; }")
    dead = tmp_path / "worker" / "step.999999999.x"
    dead.mkdir(parents=True)
    with pytest.raises(StageFailed):
        run(folder, lambda _, order: perform(order, silent, tmp_path / "worker"))
    assert run(folder, lambda _, order: perform(order, silent, tmp_path / "worker")) == {"only": "ran"}
    assert (folder / "data" / "only.txt").read_text() == "fitted\n"
    assert not dead.exists()


def test_a_worker_with_other_versions_refuses(alone: Callable[[str], Path], tmp_path: Path) -> None:
    def older(_: Step, order: Order) -> Receipt:
        return perform(replace(order, versions=order.versions | {"torch": "1.0", "python": "2.7"}), silent, tmp_path / "worker")

    here = orders.versions()
    said = f"this worker has python {here['python']}, torch {here['torch']} and the coordinator python 2.7, torch 1.0"
    with pytest.raises(StageFailed, match=said):
        run(alone("cp raw.txt data/only.txt"), older)
    assert not (tmp_path / "worker").exists()


def test_broken_and_missing_objects_are_named(alone: Callable[[str], Path], tmp_path: Path) -> None:
    def spoil(_: Step, order: Order) -> Receipt:
        change(tmp_path / "store" / "files" / "md5" / order.files["raw.txt"][:2] / order.files["raw.txt"][2:])
        return perform(order, silent, tmp_path / "worker")

    def lose(_: Step, order: Order) -> Receipt:
        receipt = perform(order, silent, tmp_path / "worker")
        shutil.rmtree(tmp_path / "store")
        return receipt

    def overwrite(path: Path) -> None:
        path.chmod(0o644)
        path.write_text("other\n")

    folder = alone("cp raw.txt data/only.txt")
    change: Callable[[Path], object] = overwrite
    with pytest.raises(StageFailed, match=r"only: remote store holds a broken object for raw\.txt: delete .*/md5/../\w{30} there"):
        run(folder, spoil)
    change = Path.unlink
    with pytest.raises(StageFailed, match="only: remote store lacks an object that it should hold"):
        run(folder, spoil)
    with pytest.raises(StageFailed, match="only: remote store lacks an object that it should hold"):
        run(folder, lose)
    assert run(folder, lambda _, order: perform(order, silent, tmp_path / "worker")) == {"only": "ran"}


def test_a_worker_mends_its_own_cache(alone: Callable[[str], Path], tmp_path: Path) -> None:
    def perform_twice(_: Step, order: Order) -> Receipt:
        receipt = perform(order, silent, tmp_path / "worker")
        for path in (tmp_path / "worker" / "objects").glob("*/*"):
            path.chmod(0o644)
            path.write_text("broken\n")
        assert perform(order, silent, tmp_path / "worker").files == receipt.files
        return receipt

    assert run(alone("cp raw.txt data/only.txt"), perform_twice) == {"only": "ran"}


def test_what_lies_outside_cannot_be_sent(alone: Callable[[str], Path], tmp_path: Path) -> None:
    folder = alone("cp ../far.txt data/only.txt")
    (tmp_path / "far.txt").write_text("far\n")
    conftest.replace("dvc.yaml", "deps: [raw.txt]", "deps: [../far.txt]")(folder)
    with pytest.raises(StageFailed, match=r"only: .*far\.txt lies outside of the repository, from where no worker gets it"):
        run(folder, lambda _, order: pytest.fail("it cannot go out"))


def test_records_and_empty_folders_come_back(alone: Callable[[str], Path], tmp_path: Path) -> None:
    folder = alone("mkdir -p data/only.txt data/footprint/a && echo '{}' > data/footprint/a/b.json")
    assert run(folder, lambda _, order: perform(order, silent, tmp_path / "worker")) == {"only": "ran"}
    assert (folder / "data" / "footprint" / "a" / "b.json").read_text() == "{}\n"
    assert list((folder / "data" / "only.txt").iterdir()) == []
