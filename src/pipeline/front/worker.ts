import type { WorkThread } from '../../engine/index.ts'
import { runWorkerRows, type SharedRows } from '../surfaces/index.ts'
import { boardOf, parsePlain, printPlain, setupOf, type ThreadLeft, TileThread, type TileWork } from '../tiles/index.ts'
import { type FrontLeft, FrontThread } from './front-thread.ts'
import { type FrontWork, frontOf } from './front-work.ts'

/** The part of a worker in a draw, or in work on whole surfaces. */

interface WorkerPart {
  readonly place: { readonly memoryLength: number; readonly board: number; readonly slotCount: number }
  readonly tiles: TileWork | null
  readonly front: object | null
}

const NOTHING: ThreadLeft<FrontLeft> = { tiles: null, front: null }

/** What a thread has made of a text. */
interface KnownWork {
  readonly place: WorkerPart['place']
  readonly buffer: ArrayBufferLike
  readonly tiles: TileWork | undefined
  readonly front: FrontWork | undefined
}

/**
 * By thread what it has made of the texts of the last draws: those of a frame often come again with the next one, and what a thread
 * knows of code that pays it knows by these objects.
 */
const KNOWN = new WeakMap<WorkThread, Map<string, KnownWork>>()
const MOST_KNOWN = 16

function knownWork(thread: WorkThread, text: string): KnownWork | undefined {
  const known = KNOWN.get(thread)?.get(text)
  // Memory that has grown has another buffer.
  return known !== undefined && known.buffer === thread.buffer(known.place.memoryLength) ? known : undefined
}

function newWork(thread: WorkThread, { place, tiles, front }: WorkerPart): KnownWork {
  const buffer = thread.buffer(place.memoryLength)
  return {
    place,
    buffer,
    tiles: tiles === null ? undefined : { ...tiles, pixels: setupOf(tiles.pixels, buffer) },
    front: front === null ? undefined : frontOf(front, buffer),
  }
}

function keepWork(thread: WorkThread, text: string, work: KnownWork): void {
  const texts = KNOWN.get(thread) ?? new Map<string, KnownWork>()
  KNOWN.set(thread, texts)
  // The least recently used goes.
  texts.delete(text)
  texts.set(text, work)
  if (texts.size > MOST_KNOWN) texts.delete(texts.keys().next().value!)
}

/** Runs parts and tiles until the draw ends, or rows of surfaces, and answers what the thread leaves as text. */
export function runShared(thread: WorkThread, text: string, heartbeat: () => void): string {
  let work = knownWork(thread, text)
  if (work === undefined) {
    const part = parsePlain(text) as WorkerPart | { readonly rows: SharedRows }
    if ('rows' in part) {
      runWorkerRows(thread, part.rows, heartbeat)
      return printPlain(NOTHING)
    }
    work = newWork(thread, part)
  }
  keepWork(thread, text, work)
  return printPlain(runDraw(thread, work, heartbeat))
}

function runDraw(thread: WorkThread, work: KnownWork, heartbeat: () => void): ThreadLeft<FrontLeft> {
  const board = boardOf(work.buffer, work.place)
  const isLost = (): boolean => board.hasLostThread
  const ends = { deadline: Number.POSITIVE_INFINITY, isLost }
  const tiles = work.tiles && TileThread.create(work.tiles, thread, ends.deadline, ends.isLost)
  if (work.tiles !== undefined && tiles === undefined) return NOTHING
  const ofFront = tiles && work.tiles && { thread: tiles, work: work.tiles }
  const front = work.front && FrontThread.create({ work: work.front, thread, board, tiles: ofFront, ...ends })
  while (!board.awaitBegin() && !board.isStopped && !board.hasLostThread) heartbeat()
  while (!board.isStopped) {
    const { signal, changes } = board
    heartbeat()
    if (front?.step() === true || tiles?.step() === true) continue
    if ((board.isEnded && tiles?.isAtEnd !== false) || board.hasLostThread) break
    if (tiles?.waitsForTiles === true) board.awaitChange(changes)
    else board.awaitSignal(signal)
  }
  return { tiles: tiles?.leave() ?? null, front: front?.leave() ?? null }
}
