/**
 * The operands of a sampling instruction, beside its view and sampler. A plain mutable record, so that an engine can keep one
 * and fill it in for every access; `sampleRequest()` makes one.
 */
export interface SampleRequest {
  /** srcAddress as it stands in the register: coordinates, then the array slice, by the view's dimension. float32. */
  x: number
  y: number
  z: number
  w: number
  /** true: the LOD comes from the derivatives below; false: `lod` is the LOD. */
  derivatives: boolean
  /** The derivatives are differences of a quad's coordinates, and no gradients that the shader gives. */
  implicit: boolean
  /** Explicit LOD (sample_l); 0 for sample_c_lz. float32. */
  lod: number
  /** Derivatives of the coordinates, in normalized space (sample_d, or a quad's differences). float32. */
  ddxX: number
  ddxY: number
  ddxZ: number
  ddyX: number
  ddyY: number
  ddyZ: number
  /** srcLODBias of sample_b, else 0. float32. */
  bias: number
  /** Texel offsets (aoffimmi, or those of gather4_po); ignored by cubes and by axes the view does not have. */
  offsetX: number
  offsetY: number
  offsetZ: number
  /** srcReferenceValue of the comparing instructions. float32. */
  reference: number
  /** true for sample_c*, gather4_c*: texels are compared with `reference`. */
  compare: boolean
  /** The _cl operand, in mips of the view; 0 for none. float32. */
  lodClamp: number
  /** Filters are those of codes where `filtersCodes` has it and there are no offsets: what the precision `fast` asks for. */
  codes: boolean
  /** The LOD is that of a quad's differences, without a bias or clamp that the instruction has. */
  plainLevel: boolean
}

/** A request at the origin, LOD 0, with no offset, bias or comparison. */
export function sampleRequest(fields: Partial<SampleRequest> = {}): SampleRequest {
  return {
    x: 0,
    y: 0,
    z: 0,
    w: 0,
    derivatives: false,
    implicit: false,
    lod: 0,
    ddxX: 0,
    ddxY: 0,
    ddxZ: 0,
    ddyX: 0,
    ddyY: 0,
    ddyZ: 0,
    bias: 0,
    offsetX: 0,
    offsetY: 0,
    offsetZ: 0,
    reference: 0,
    compare: false,
    lodClamp: 0,
    codes: false,
    plainLevel: false,
    ...fields,
  }
}

/** One component of the offset operand of gather4_po: its six low bits as a signed number (22.4.4). */
export function programmableOffset(bits: number): number {
  return (bits << 26) >> 26
}

/** Feedback status of an access: every resource of this machine is fully mapped (5.9.4.5). */
export const FEEDBACK_FULLY_MAPPED = 0xffffffff
/** check_access_mapped: all ones when the status says that everything accessed was mapped. */
export function checkAccessMapped(status: number): number {
  return status === FEEDBACK_FULLY_MAPPED ? 0xffffffff : 0
}
