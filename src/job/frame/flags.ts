/** Flags of `heddle run` that change a frame: options, files to write, render targets to show. */
import { DiagnosticCollector, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import { fieldsOf } from '../parse/fields.ts'
import { type OverrideFlags, overrideOptions } from '../parse/quick.ts'
import { checkNames } from './check-names.ts'
import type { FrameJob, FrameOutput, NameAt } from './model.ts'

export interface FrameFlags extends OverrideFlags {
  readonly preview?: readonly string[]
  /** Of all pipelines. */
  readonly precision?: string
}

/** `rt0=x.png`, `atlas:2:5=x.png` for mip 2 of slice 5. */
function outputOfFlag(text: string, out: DiagnosticCollector): FrameOutput[] {
  const path = `--out ${text}`
  const m = /^([^=:]+)(?::(\d{1,2}))?(?::(\d{1,5}))?=(.+)$/.exec(text)
  if (m === null) {
    const f = fieldsOf({}, path, out)!
    f.report('job-wrong-type', '', 'resource=file, or resource:mip:slice=file, is expected')
    return []
  }
  const [, name = '', mip = '0', slice = '0', file = ''] = m
  return [{ resource: { name, path }, path, file, mip: Number(mip), slice: Number(slice) }]
}

/** A frame with what the flags add and change. */
export function overrideFrame(frame: FrameJob, flags: FrameFlags): Outcome<FrameJob> {
  const out = new DiagnosticCollector()
  const options = overrideOptions(frame.options, flags, out)
  if (flags.print.length > 0) {
    const f = fieldsOf({}, '--print', out)!
    f.report('job-flag', '', 'frames print no elements; --out writes a resource, --preview shows a texture')
  }
  const outputs = flags.out.flatMap((text) => outputOfFlag(text, out))
  const values = flags.precision === undefined ? {} : { '--precision': flags.precision }
  const precision = fieldsOf(values, '', out)!.word('--precision', ['exact', 'fast'])
  const pipelines =
    precision === undefined
      ? frame.pipelines
      : frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  const previews = (flags.preview ?? []).map((name): NameAt => ({ name, path: `--preview ${name}` }))
  const value: FrameJob = { ...frame, options, pipelines, outputs: [...frame.outputs, ...outputs], previews }
  if (out.errorCount === 0) checkNames(value, out)
  const diagnostics = out.finish()
  return out.errorCount > 0 ? failure(diagnostics) : outcomeOf(value, diagnostics)
}
