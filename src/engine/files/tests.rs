//! Replacing, refusing and locking files, and file systems that do not answer.

use super::*;
use crate::base::clock::Instant;

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some file");
    replace(&path, |out| out.write_all(b"old")).unwrap();
    let failed = replace(&path, |out| {
        out.write_all(b"half of the ne")?;
        Err(io::Error::other("the disk is full"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    replace(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
}

#[test]
fn a_long_file_is_written_and_read_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    let bytes: Vec<u8> = (0..2 * PIECE_WRITTEN + 77).map(|number| (number % 251) as u8).collect();
    replace(&path, |out| bytes.chunks(1000).try_for_each(|chunk| out.write_all(chunk))).unwrap();
    let mut reader = open(&path).unwrap();
    assert_eq!(reader.len(), bytes.len() as u64);
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert!(read == bytes);
}

#[test]
fn a_call_that_does_not_return_times_out() {
    let (keep, never) = mpsc::channel::<()>();
    let started = Instant::now();
    let call = within(Duration::from_millis(50), move || never.recv().map_err(io::Error::other));
    assert_eq!(call.unwrap_err().kind(), ErrorKind::TimedOut);
    assert!(started.elapsed() >= Duration::from_millis(50));
    drop(keep);
    assert_eq!(within(READ_TIMEOUT, || Ok(7)).unwrap(), 7);
}

#[test]
fn a_folder_is_neither_read_nor_replaced() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("folder");
    fs::create_dir(&folder).unwrap();
    assert_eq!(open(&folder).unwrap_err().to_string(), "not a plain file");
    assert_eq!(create(&folder).unwrap_err().to_string(), "not a plain file");
    let replaced = replace(&folder, |_| panic!("nothing is to be written"));
    assert_eq!(replaced.unwrap_err().to_string(), "not a plain file");
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_even_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(open(&pipe).unwrap_err().to_string(), "not a plain file");
    // A pipe in the place of the lock.
    fs::rename(&pipe, folder.path().join("file.lock")).unwrap();
    assert!(matches!(lock(&folder.path().join("file")).unwrap(), FileLock::Held(None)));
}

/// Bug: `NAME.new` was removed before `NAME` was written, also where it was the user's own.
#[test]
fn a_neighbour_of_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let neighbours = ["new", "part", "tmp", "lock", "tengen-1.tmp"].map(|ending| beside(&path, &format!(".{ending}")));
    for neighbour in &neighbours {
        fs::write(neighbour, "mine").unwrap();
    }
    replace(&path, |out| out.write_all(b"text")).unwrap();
    assert!(replace(&path, |_| Err(io::Error::other("the disk is full"))).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"text");
    assert!(neighbours.iter().all(|neighbour| fs::read(neighbour).is_ok_and(|text| text == b"mine")));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + neighbours.len(), "no other file is left");
}

/// The temporary file has a name of its own, so another writer of this process does not disturb it either.
#[test]
fn each_of_two_writers_writes_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    replace(&path, |out| {
        out.write_all(b"the outer ")?;
        replace(&path, |out| out.write_all(b"the inner one"))?;
        assert_eq!(fs::read(&path)?, b"the inner one");
        out.write_all(b"one")
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"the outer one");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The name of the temporary file says what it is, and it fits where that of the file does.
#[cfg(unix)]
#[test]
fn a_temporary_file_has_the_name_of_its_file() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let long = "\u{e4}".repeat(120);
    for (name, begin) in [("open.txt", "open.txt.tengen-"), ("a b", "a b.tengen-"), (&*long, &long[..100])] {
        let path = folder.path().join(name);
        let mut seen = String::new();
        replace(&path, |out| {
            let [entry] = &fs::read_dir(folder.path())?.collect::<io::Result<Vec<_>>>()?[..] else {
                panic!("one file")
            };
            seen = entry.file_name().into_string().unwrap();
            out.write_all(b"text")
        })
        .unwrap();
        let is_temporary = Path::new(&seen).extension().is_some_and(|extension| extension == "tmp");
        assert!(seen.starts_with(begin) && is_temporary, "{seen}");
        fs::remove_file(&path).unwrap();
    }
    // A name that is no text.
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    replace(&path, |out| out.write_all(b"text")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"text");
}

#[cfg(unix)]
#[test]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, fresh) = (folder.path().join("file"), folder.path().join("fresh"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for bits in [0o600, 0o640, 0o444, 0o664] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        replace(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (bits, b"new".to_vec()));
        fs::remove_file(&path).unwrap();
    }
    replace(&path, |out| out.write_all(b"new")).unwrap();
    fs::write(&fresh, "the permissions of any new file").unwrap();
    assert_eq!(mode(&path), mode(&fresh));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_a_link() {
    use std::os::unix::fs::symlink;
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let (first, second, file) = (outer.path().join("first"), inner.join("second"), inner.join("file"));
    symlink("inner/second", &first).unwrap();
    symlink(&file, &second).unwrap();
    for text in ["where nothing was", "where something was"] {
        replace(&first, |out| out.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&second).unwrap().is_symlink());
    let locked = lock(&first).unwrap();
    assert!(matches!(lock(&file).unwrap(), FileLock::HeldElsewhere), "the same file by another name");
    drop(locked);
    let circle = outer.path().join("circle");
    symlink("circle", &circle).unwrap();
    assert!(replace(&circle, |_| panic!("nothing is to be written")).is_err());
}

#[test]
fn a_lock_holds_until_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let first = lock(&path).unwrap();
    assert!(matches!(first, FileLock::Held(Some(_))));
    assert!(matches!(lock(&path).unwrap(), FileLock::HeldElsewhere));
    replace(&path, |out| out.write_all(b"text")).unwrap();
    assert!(matches!(lock(&path).unwrap(), FileLock::HeldElsewhere), "the lock outlives the replaced file");
    drop(first);
    assert!(matches!(lock(&path).unwrap(), FileLock::Held(Some(_))));
}

#[test]
fn a_file_counts_as_locked_where_none_can_be_created() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(lock(&folder.path().join("no such folder").join("file")).unwrap(), FileLock::Held(None)));
}

/// Bug: a call that had timed out took effect late and overwrote a newer file.
#[test]
fn no_file_is_changed_while_a_call_that_timed_out_can_still_take_effect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (release, stuck) = mpsc::channel::<()>();
    let outcome = change_within(&path, Duration::from_millis(1), move || {
        let _ = stuck.recv();
        Ok(())
    });
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(replace(&path, |out| out.write_all(b"new")).unwrap_err().kind(), ErrorKind::TimedOut);
    drop(release);
    while replace(&path, |out| out.write_all(b"new")).is_err() {
        thread::yield_now();
    }
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

/// Bug: the file stayed marked as being changed.
#[test]
fn a_call_that_panics_does_not_block_later_changes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let outcome = change_within(&path, WRITE_TIMEOUT, || -> io::Result<()> { panic!("the call panics") });
    assert!(outcome.is_err());
    replace(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}
