import type { StatCounts } from '../../dxbc/index.ts'

/** By D3D_TESSELLATOR_DOMAIN. */
const DOMAINS = ['', 'Isoline', 'Triangle', 'Quadrilateral'] as const
/** By D3D_TESSELLATOR_OUTPUT_PRIMITIVE. */
const OUTPUT_PRIMITIVES = ['', 'Point', 'Line', 'Clockwise Triangles', 'Counter-Clockwise Triangles'] as const
/** By D3D_TESSELLATOR_PARTITIONING. */
const PARTITIONINGS = ['', 'Integer', 'Integer Power of 2', 'Odd Fractional', 'Even Fractional'] as const

/**
 * What the statistics say about tessellation and sample frequency. fxc reads it there and not in the code: a hull shader
 * without STAT has no table (synthetic/hs_enums), a pixel shader without it no remark (synthetic/ps_input_dcls).
 */
export function stageLines(counts: StatCounts): string[] {
  const lines: string[] = []
  if (counts.tessellatorDomain !== 0) {
    const domain = DOMAINS[counts.tessellatorDomain] ?? ''
    lines.push(
      '// Tessellation Domain   # of control points',
      '// -------------------- --------------------',
      `// ${domain.padEnd(20)} ${String(counts.controlPoints).padStart(20)}`,
      '//',
    )
  }
  if (counts.hsOutputPrimitive !== 0) {
    const primitive = OUTPUT_PRIMITIVES[counts.hsOutputPrimitive] ?? ''
    const partitioning = PARTITIONINGS[counts.hsPartitioning] ?? ''
    lines.push(
      '// Tessellation Output Primitive  Partitioning Type ',
      '// ------------------------------ ------------------',
      `// ${primitive.padEnd(30)} ${partitioning.padEnd(18)}`,
      '//',
    )
  }
  if (counts.sampleFrequency !== 0) lines.push('// Pixel Shader runs at sample frequency', '//')
  return lines
}
