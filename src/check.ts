import { statementLister } from './asm/index.ts'
import { type CheckOptions, check as checkWithOptions } from './check/index.ts'

/**
 * The checker with listings: `import { check, renderReport } from 'heddle/check'`. `check(device, shader, bindings,
 * groups, options)` runs one dispatch under all detectors and gives a plain `Report`.
 */
export * from './check/index.ts'

type CheckParameters = Parameters<typeof checkWithOptions>

/** Runs a shader under the checker; statements in the report are listed as fxc lists them. */
export function check(
  target: CheckParameters[0],
  shader: CheckParameters[1],
  bindings: CheckParameters[2],
  groups: CheckParameters[3],
  options: CheckOptions = {},
): ReturnType<typeof checkWithOptions> {
  return checkWithOptions(target, shader, bindings, groups, { lister: statementLister, ...options })
}
