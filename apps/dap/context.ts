import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { RunOptions, Thread } from '../../src/debug/index.ts'
import type { Outcome } from '../../src/diagnostic/index.ts'
import type { debug } from '../../src/host/index.ts'
import type { DebugSession, ExceptionFilterName, SessionStop, ValueNode } from '../../src/session/index.ts'
import type { SourceFileOfMap, SourcePathMap } from '../../src/source/index.ts'

/** How lanes become threads of the protocol: those of a wave at one place together, whole waves, or each alone. */
export type ThreadMode = 'sets' | 'waves' | 'lanes'

/** What `launch` and `attach` take beside the protocol's own. */
export interface LaunchArguments {
  /** A run description: a file, or its text or data where there are no files. */
  readonly program?: string
  readonly job?: unknown
  /** Where there is no file system: the files that the description names, and sources, by path. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>
  /** Of a frame: the number of the command. */
  readonly command?: number
  /** Of a draw: the pixel to begin at, in the shader that made its color. */
  readonly pixel?: { readonly x: number; readonly y: number }
  /** Only the pixel is rasterized: for draws that are too large to be kept. */
  readonly onlyPixel?: boolean
  /** Of a draw: an invocation to begin at, as `vertex 3` or `domain-point 5 0`. */
  readonly invocation?: string
  /** Folders of the computer that compiled, and where their files are here: `{ "C:\\shaders": "/home/me/shaders" }`. */
  readonly sourcePathMap?: SourcePathMap
  readonly stopOnEntry?: boolean
  readonly noDebug?: boolean
  readonly threads?: ThreadMode
  /** Where to begin: a clock, or a finding of heddle check, as `check-race@15`. */
  readonly clock?: number
  readonly finding?: string
  /** The thread to look at first, by vThreadIDInGroupFlattened. */
  readonly thread?: number
  /** False: the session ends at the end of the run instead of stopping there. */
  readonly stopAtEnd?: boolean
}

/** What a launch request says of the session that is opened. */
export const sessionOptions = ({
  command,
  pixel,
  onlyPixel,
}: LaunchArguments): NonNullable<Parameters<typeof debug>[2]> => ({
  ...(command === undefined ? {} : { command }),
  ...(onlyPixel === true && pixel !== undefined ? { pixel } : {}),
})

/** What a debug adapter needs of where it runs. */
export interface AdapterHost {
  /** Opening a frame carries out commands: it may take long, and be canceled. */
  open(args: LaunchArguments, options?: RunOptions): Promise<Outcome<DebugSession>>
  /** The path of the user's own copy of a source file, where there is one with the same bytes. */
  findSource?(file: SourceFileOfMap): string | undefined
}

/** A stack frame that was sent to the client. */
export interface FrameHandle {
  readonly thread: Thread
  /** Index in the inline stack of its statement, 0 the innermost. */
  readonly frame: number
  readonly statement: number
  /** Nothing runs any more: it shows what the run left. */
  readonly isEnd?: boolean
}

/** The protocol's message of requests that the client has canceled. */
export const CANCELED = 'cancelled'

/** A request that cannot be answered; its message goes to the client. */
export class RequestRefusal {
  readonly message: string
  /** The answer says that the request failed, and asks the client to show no message. */
  readonly isQuiet: boolean
  constructor(message: string, isQuiet = false) {
    this.message = message
    this.isQuiet = isQuiet
  }
}

export function refuse(message: string): never {
  throw new RequestRefusal(message)
}

/** Refuses a request about what is gone: a client that sent it a moment earlier would have had its answer. */
export function refuseLate(message: string): never {
  throw new RequestRefusal(message, true)
}

/** What handlers of requests share. */
export interface AdapterContext {
  readonly host: AdapterHost
  readonly client: P.InitializeRequestArguments
  session: DebugSession | undefined
  launch: LaunchArguments
  threadMode: ThreadMode
  lastStop: SessionStop | undefined
  /** Ids of the threads that the client was told of. */
  knownThreads: ReadonlySet<number>
  /** Made anew at each stop. */
  readonly frames: FrameHandle[]
  readonly nodes: ValueNode[]
  /** Targets that gotoTargets answered, by their ids. */
  readonly gotoTargets: {
    readonly direction: 'forward' | 'backward'
    readonly statements: readonly number[]
    readonly stage: string | undefined
  }[]
  /** Breakpoints that are others to the client: a line of a file that several shaders were compiled from. */
  readonly sameBreakpoint: Map<number, number>
  exceptionFilters: readonly ExceptionFilterName[]
  /** Memory that the client has read and may show, with how much of it. */
  readonly shownMemory: Map<string, { readonly offset: number; readonly count: number }>
  event(name: string, body?: object): void
  /** Runs what moves the session after the response was sent, and sends the stopped event. */
  start(work: (options: RunOptions) => Promise<SessionStop>): void
  /** Done behind the response. */
  afterResponse(work: () => void): void
  /** Stops what runs; false where nothing does. */
  interrupt(): boolean
  /** A signal of the request under way, which `cancel` aborts. */
  readonly options: RunOptions
}

/** The session, or a refusal where none was launched. */
export const sessionOf = (c: AdapterContext): DebugSession => c.session ?? refuseLate('nothing was launched')

/** How many ranges of memory are announced at a stop: those that the client read last. */
const MOST_SHOWN = 16

/** Notes that the client shows a range of memory, which a stop announces as possibly changed. */
export function noteShown({ shownMemory }: AdapterContext, reference: string, offset: number, count: number): void {
  shownMemory.delete(reference)
  shownMemory.set(reference, { offset, count })
  for (const oldest of shownMemory.keys()) if (shownMemory.size > MOST_SHOWN) shownMemory.delete(oldest)
}

/** What a client shows of memory may be another moment's: it reads it again. */
export function memoryChanged({ client, shownMemory, event }: AdapterContext): void {
  if (client.supportsMemoryEvent !== true) return
  for (const [memoryReference, part] of shownMemory) event('memory', { memoryReference, ...part })
}

/** Keeps a node for `variables`; 0 where it has no parts. */
export function referenceOf(c: AdapterContext, node: ValueNode): number {
  return node.indexedCount + node.namedCount === 0 ? 0 : c.nodes.push(node)
}
