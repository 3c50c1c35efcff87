/** Shader stages by the number in the version token (bits 16 to 31). */
export type Stage = 'pixel' | 'vertex' | 'geometry' | 'hull' | 'domain' | 'compute'

/** Stages in the order of their numbers in version tokens, from 0. */
export const STAGES: readonly Stage[] = ['pixel', 'vertex', 'geometry', 'hull', 'domain', 'compute']

/** fxc's profile prefixes in the order of STAGES: `ps_5_0`, `vs_4_0`... */
export const PROFILE_PREFIXES: readonly string[] = ['ps', 'vs', 'gs', 'hs', 'ds', 'cs']

/** Stages that have an instruction. */
export type StageSet = readonly Stage[]

export const ANY_STAGE: StageSet = STAGES
export const PIXEL_ONLY: StageSet = ['pixel']
export const GEOMETRY_ONLY: StageSet = ['geometry']
export const HULL_ONLY: StageSet = ['hull']
export const COMPUTE_ONLY: StageSet = ['compute']
export const HULL_DOMAIN: StageSet = ['hull', 'domain']

/** The stage with this number in a version token, or undefined for a number Direct3D 11 does not have. */
export function stageOfNumber(n: number): Stage | undefined {
  return STAGES[n]
}

export function numberOfStage(stage: Stage): number {
  return STAGES.indexOf(stage)
}

/** `cs_5_0` and the like. */
export function profileName(stage: Stage, major: number, minor: number): string {
  return `${PROFILE_PREFIXES[numberOfStage(stage)]}_${major}_${minor}`
}
