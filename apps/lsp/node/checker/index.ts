/** Listings in files under the checker, with the run descriptions of their folder. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unicodeText } from '../../../../src/asm/index.ts'
import { createHost } from '../../../../src/host/node/index.ts'
import type { DescriptionFile } from '../../../../src/job/index.ts'
import { checkAlone, checkText, type ListingFolder } from '../../checker/index.ts'
import type { CheckListing } from '../../server/index.ts'

/** Descriptions of a folder that are looked at; of the others only the one of the listing's name counts. */
const MAX_DESCRIPTIONS = 200

async function descriptionsIn(folder: string): Promise<readonly DescriptionFile[]> {
  const names = await readdir(folder).catch(() => [])
  const found = names
    .filter((n) => n.endsWith('.job.json'))
    .sort()
    .slice(0, MAX_DESCRIPTIONS)
  const read = found.map(async (name) => {
    const bytes = await readFile(join(folder, name)).catch(() => undefined)
    return bytes === undefined ? [] : [{ name, text: unicodeText(bytes) }]
  })
  return (await Promise.all(read)).flat()
}

async function folderAt(folder: string, path: string): Promise<ListingFolder> {
  return { file: relative(folder, path), host: createHost({ folder }), descriptions: await descriptionsIn(folder) }
}

/** Checks the text of an editor with the descriptions of its folder, or of the one above: shaders often have a folder of their own. */
export const checkFile: CheckListing = async (uri, text, signal) => {
  if (!uri.startsWith('file:')) return checkAlone(uri, text, signal)
  const path = fileURLToPath(uri)
  const own = dirname(path)
  return checkText(text, await Promise.all([own, dirname(own)].map((folder) => folderAt(folder, path))), signal)
}
