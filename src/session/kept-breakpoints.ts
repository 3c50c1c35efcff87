/** Which breakpoints of one command of a frame make sense in another one. */
import type { BreakpointPlace } from './breakpoints.ts'
import type { DebuggedFrame, DebuggedProgram } from './run.ts'

/** What a breakpoint belongs to, as distinct from what other commands run and write. */
export interface BreakpointHome {
  /** Of statements and registers: the stage, and the listing of its shader. */
  readonly program?: { readonly stage: string | undefined; readonly listing: string } | undefined
  /** Of memory: the name of its resource in the frame. */
  readonly resource?: string | undefined
}

/** The shaders and resources of a command. */
interface BreakpointScope {
  readonly programs: readonly DebuggedProgram[]
  readonly frame: DebuggedFrame | undefined
}

const listingOf = ({ program, listing }: DebuggedProgram): string =>
  program.statements.map((_, i) => listing(i)).join('\n')

const shaderOf = ({ programs }: BreakpointScope, stage: string | undefined): DebuggedProgram | undefined =>
  programs.find((p) => stage === undefined || p.stage === stage)

export function homeOf(place: BreakpointPlace, scope: BreakpointScope): BreakpointHome {
  switch (place.kind) {
    case 'filter':
      return {}
    case 'memory': {
      const { range } = place
      if (range.space === 'tgsm') return homeOfProgram(scope, undefined)
      const named = [...(scope.frame?.resources ?? [])].find(([, resource]) => resource === range.resource)
      return { resource: named?.[0] }
    }
    default:
      return homeOfProgram(scope, place.stage)
  }
}

function homeOfProgram(scope: BreakpointScope, stage: string | undefined): BreakpointHome {
  const own = shaderOf(scope, stage)
  return own === undefined ? {} : { program: { stage: own.stage, listing: listingOf(own) } }
}

/** The place in another command: where it runs the same shader, or has the resource; undefined where it means nothing there. */
export function placeIn(
  place: BreakpointPlace,
  { program, resource }: BreakpointHome,
  scope: BreakpointScope,
): BreakpointPlace | undefined {
  if (place.kind === 'filter') return place
  if (place.kind === 'memory' && place.range.space !== 'tgsm') {
    const found = resource === undefined ? undefined : scope.frame?.resources.get(resource)
    return found && { ...place, range: { ...place.range, resource: found } }
  }
  const own = scope.programs.find((p) => p.stage === program?.stage)
  return own !== undefined && listingOf(own) === program?.listing ? place : undefined
}
