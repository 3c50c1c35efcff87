/** Paths as the command line writes and takes them, of POSIX and of Windows. */
import nodePath, { type PlatformPath } from 'node:path'

const IS_SPECIAL = /[*?[\]{}!]/

/** Whether an argument that names no file is a pattern. */
export const isPattern = (argument: string): boolean => IS_SPECIAL.test(argument)

/** A pattern of the command line, divided into the folder above its first part that is no plain name, and the rest. */
export function dividePattern(argument: string, path: PlatformPath = nodePath): { folder: string; pattern: string } {
  const parts = argument.replaceAll(path.sep, '/').split('/')
  const special = parts.findIndex((part) => IS_SPECIAL.test(part))
  const fixed = parts.slice(0, special).join('/')
  // Without its slash the name of a drive is the folder that is current there.
  const isRoot = special === 1 && (fixed === '' || (path.sep === '\\' && /^[A-Za-z]:$/.test(fixed)))
  return { folder: isRoot ? `${fixed}/` : fixed, pattern: parts.slice(special).join('/') }
}

/** The way from a folder to a file with the separators of every system; absolute where it leads to another drive. */
export function pathFrom(folder: string, file: string, path: PlatformPath = nodePath): string {
  return path.relative(path.resolve(folder), path.resolve(file)).replaceAll(path.sep, '/')
}

/** Whether a path that `pathFrom` gave leads out of its folder. */
export const leadsOut = (path: string): boolean => /^(?:\.\.(?:\/|$)|\/|[A-Za-z]:)/.test(path)
