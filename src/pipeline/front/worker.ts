import type { WorkThread } from '../../engine/index.ts'
import { runWorkerRows, type SharedRows } from '../surfaces/index.ts'
import { boardOf, parsePlain, printPlain, setupOf, type ThreadLeft, TileThread, type TileWork } from '../tiles/index.ts'
import { type FrontLeft, FrontThread } from './front-thread.ts'
import { frontOf } from './front-work.ts'

/** The part of a worker in a draw, or in work on whole surfaces. */

interface WorkerPart {
  readonly place: { readonly memoryLength: number; readonly board: number; readonly slotCount: number }
  readonly tiles: TileWork | null
  readonly front: object | null
}

const NOTHING: ThreadLeft<FrontLeft> = { tiles: null, front: null }

/** Runs parts and tiles until the draw ends, or rows of surfaces, and answers what the thread leaves as text. */
export function runShared(thread: WorkThread, text: string, heartbeat: () => void): string {
  const part = parsePlain(text) as WorkerPart | { readonly rows: SharedRows }
  if ('rows' in part) {
    runWorkerRows(thread, part.rows, heartbeat)
    return printPlain(NOTHING)
  }
  const { place, tiles: given, front: plainFront } = part
  const buffer = thread.buffer(place.memoryLength)
  const board = boardOf(buffer, place)
  const work = given === null ? undefined : { ...given, pixels: setupOf(given.pixels, buffer) }
  const ends = { deadline: Number.POSITIVE_INFINITY, isLost: () => board.hasLostThread }
  const tiles = work && TileThread.create(work, thread, ends.deadline, ends.isLost)
  if (work !== undefined && tiles === undefined) return printPlain(NOTHING)
  const ofFront = tiles && work && { thread: tiles, work }
  const front =
    plainFront === null
      ? undefined
      : FrontThread.create({ work: frontOf(plainFront, buffer), thread, board, tiles: ofFront, ...ends })
  while (!board.isStopped) {
    const { signal } = board
    heartbeat()
    if (front?.step() === true || tiles?.step() === true) continue
    if ((board.isEnded && tiles?.isAtEnd !== false) || board.hasLostThread) break
    board.awaitSignal(signal)
  }
  const left: ThreadLeft<FrontLeft> = { tiles: tiles?.leave() ?? null, front: front?.leave() ?? null }
  return printPlain(left)
}
