/** What run descriptions reach from the page: the shaders that are open, and files that were dropped. */

import { decodePng, encodePng } from '../../../src/host/png/index.ts'
import type { HostFailure, JobHost } from '../../../src/job/index.ts'
import type { NamedFile } from '../model/run.ts'

/** The last part of a path, in lower case: descriptions name files in folders that the page does not have. */
const plainName = (path: string): string => path.replaceAll('\\', '/').split('/').at(-1)!.toLowerCase()

export function hostOf(files: readonly NamedFile[]): JobHost {
  const find = (path: string): NamedFile | undefined =>
    files.find((f) => f.name === path) ?? files.find((f) => plainName(f.name) === plainName(path))
  return {
    readFile(path, range = { byteOffset: 0 }): Uint8Array | HostFailure {
      const file = find(path)
      if (file === undefined) {
        const names = files.map((f) => f.name).join(', ')
        return { reason: 'it is not open in this page', notes: [`open it, or name one of ${names}`] }
      }
      const { bytes } = file
      if (bytes === undefined) return { reason: 'it has errors', notes: ['its tab shows them; fix them to run it'] }
      const { byteOffset, byteLength } = range
      return bytes.subarray(byteOffset, byteLength === undefined ? undefined : byteOffset + byteLength)
    },
    writeFile: () => ({ reason: 'a page writes no files; outputs have buttons to save them' }),
    decodePng,
    encodePng,
  }
}
