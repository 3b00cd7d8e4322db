"""Files kept on disk: whole, with their checksums, one writer at a time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from spatialldp.datasets import storage


def test_no_two_threads_are_inside_at_once_and_the_lock_is_gone_afterwards(tmp_path):
    lock, inside, most = tmp_path / "a.lock", 0, []
    counting = threading.Lock()

    def enter(number):
        nonlocal inside
        with storage.only_writer(lock, lambda: None) as waited:
            with counting:
                inside += 1
                most.append(inside)
            time.sleep(0.01)
            with counting:
                inside -= 1
        return waited

    with ThreadPoolExecutor(6) as threads:
        waited = list(threads.map(enter, range(12)))
    assert most == [1] * 12
    assert any(waited)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_on_a_file_that_its_last_owner_removed_is_none(tmp_path):
    lock = tmp_path / "a.lock"
    with lock.open("ab") as handle:
        assert storage._is_still_there(handle, lock)
        lock.unlink()
        assert not storage._is_still_there(handle, lock)
        lock.touch()
        assert not storage._is_still_there(handle, lock)


def test_who_waits_can_give_up_and_leaves_the_lock_to_its_owner(tmp_path):
    class GivenUpError(Exception):
        pass

    def give_up():
        raise GivenUpError

    lock = tmp_path / "a.lock"
    with storage.only_writer(lock, lambda: None) as waited:
        assert not waited
        for _ in range(3):
            try:
                with storage.only_writer(lock, give_up):
                    raise AssertionError("two are inside")
            except GivenUpError:
                continue
        assert lock.exists()


def test_a_checksum_is_what_sha256sum_checks(tmp_path):
    path = tmp_path / "set.parquet"
    temporary = storage.unfinished(path)
    temporary.write_bytes(b"abc")
    storage.publish_with_checksum(temporary, path)
    # The example of FIPS 180-2, appendix B.1.
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  set.parquet\n"
    assert (tmp_path / "set.parquet.sha256").read_text() == expected
    assert sorted(file.name for file in tmp_path.iterdir()) == ["set.parquet", "set.parquet.sha256"]
    assert storage.is_as_listed(path, b"abc")
    assert not storage.is_as_listed(path, b"abd")
