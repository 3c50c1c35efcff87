/** What the system's error codes mean, for messages of the command line and of run descriptions. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the device reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  ENOTDIR: 'a part of the path is a file, not a folder',
}

/** What is different when a file is read. */
const READ_REASONS: Readonly<Record<string, string>> = {
  ...REASONS,
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name the files in it',
}

const WRITE_REASONS: Readonly<Record<string, string>> = {
  ...REASONS,
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of the path is a file, not a folder',
}

function reasonIn(reasons: typeof REASONS, e: unknown): string {
  const { code, message } = e as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}

/** Why the system refused to read, in words for people. */
export const systemReason = (e: unknown): string => reasonIn(READ_REASONS, e)

/** Why the system refused to write. */
export const writeReason = (e: unknown): string => reasonIn(WRITE_REASONS, e)
