import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { glob } from 'tinyglobby'
import { unicodeText } from '../../../src/asm/index.ts'
import type { ListingFiles } from '../server/index.ts'

const LISTINGS = '**/*.{dxasm,dxbcasm}'

async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path)
  return `${mtimeMs} ${size}`
}

async function listingsIn(folder: string): Promise<readonly { readonly uri: string; readonly stamp: string }[]> {
  if (!folder.startsWith('file:')) return []
  const paths = await glob(LISTINGS, { cwd: fileURLToPath(folder), absolute: true, ignore: ['**/node_modules/**'] })
  return Promise.all(
    paths.sort().map(async (path) => ({ uri: pathToFileURL(path).href, stamp: await stampOf(path).catch(() => '') })),
  )
}

/** The listings in the files of a workspace. */
export const WORKSPACE_FILES: ListingFiles = {
  async list(folders) {
    return (await Promise.all(folders.map(listingsIn))).flat()
  },
  read: (uri) => readFile(fileURLToPath(uri)).then(unicodeText, () => undefined),
}
