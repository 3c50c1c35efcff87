// The peer that kernels are timed beside, in the same run: vkd3d-shader and Mesa's lavapipe (used by kernels.mjs).
// Its source is a folder beside the project, or the one that HEDDLE_PEER names; it is built where its libraries are there.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textVariable } from './variables.mjs'

const SOURCE = textVariable('HEDDLE_PEER') ?? fileURLToPath(new URL('../../shared/peer/', import.meta.url))
const DRIVERS = '/usr/share/vulkan/icd.d'
const PACKAGES = 'libvkd3d-dev libvulkan-dev mesa-vulkan-drivers pkg-config make gcc'

/** Builds a program of the peer outside of its source; the program's path, or why there is none. */
function build(name) {
  if (!existsSync(join(SOURCE, `${name}.c`))) return { reason: `there is no source in ${SOURCE}` }
  const folder = join(tmpdir(), 'heddle-peer')
  mkdirSync(folder, { recursive: true })
  const program = join(folder, name)
  const made = spawnSync('make', ['-C', SOURCE, `BUILD=${folder}`, program], { encoding: 'utf8' })
  if (made.error === undefined && made.status === 0) return { program, folder }
  const last = made.error?.message ?? made.stderr.trim().split('\n').at(-1)
  return { reason: `it cannot be built: ${last} (Debian: ${PACKAGES})` }
}

/** The description of lavapipe for the Vulkan loader. */
function driver() {
  const name = existsSync(DRIVERS) ? readdirSync(DRIVERS).find((file) => file.startsWith('lvp_icd')) : undefined
  return name === undefined ? undefined : join(DRIVERS, name)
}

/**
 * `time(path, threads, runs)` gives milliseconds of the run description at `path`; `reason` stands in place of it where
 * the peer is not to be had.
 */
export function openPeer() {
  const { program, reason } = build('peer')
  if (program === undefined) return { reason }
  const icd = driver()
  if (icd === undefined) return { reason: 'lavapipe is not there (Debian: mesa-vulkan-drivers)' }
  const time = (path, threads, runs) => {
    const env = { ...process.env, VK_ICD_FILENAMES: icd, LP_NUM_THREADS: String(threads) }
    // The driver compiles at the first dispatch, which is timed for itself and does not count.
    const ran = spawnSync(program, ['--runs', String(runs), '--json', path], {
      encoding: 'utf8',
      env,
      timeout: 300_000,
    })
    if (ran.status !== 0) throw new Error(`the peer failed on ${path}: ${ran.stderr.trim() || ran.error?.message}`)
    const { median_ms: median, min_ms: least } = JSON.parse(ran.stdout)
    return { median, least }
  }
  return { time }
}

/** As openPeer, for scenes: `time(scene, threads, runs)` gives milliseconds of its full frame, the first one and those after it. */
export function openDrawPeer() {
  const { program, folder, reason } = build('draw')
  if (program === undefined) return { reason }
  const icd = driver()
  if (icd === undefined) return { reason: 'lavapipe is not there (Debian: mesa-vulkan-drivers)' }
  const work = join(folder, 'scenes')
  const time = (scene, threads, runs) => {
    const env = { ...process.env, VK_ICD_FILENAMES: icd, LP_NUM_THREADS: String(threads), BUILD: folder, WORK: work }
    // It compares its own place with the path that it was started by.
    const script = join(realpathSync(SOURCE), 'draws.mjs')
    const ran = spawnSync(process.execPath, [script, 'time', scene], {
      encoding: 'utf8',
      env: { ...env, RUNS: String(runs), GLSL: '' },
      timeout: 300_000,
    })
    const line = ran.stdout.trim().split('\n').at(-1) ?? ''
    if (!line.startsWith('{')) throw new Error(`the peer failed on ${scene}: ${line || ran.stderr.trim()}`)
    const { first, median, min: least } = JSON.parse(line)
    return { first, median, least }
  }
  return { time }
}
