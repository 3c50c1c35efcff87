// The first step of the build: what an earlier build left would hide that a file is missing, and names of bundled files are
// hashes of what they hold, so that old ones would stay.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

rmSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true, force: true })
