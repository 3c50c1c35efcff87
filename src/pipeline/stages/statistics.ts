/** Counts of a draw, named as in D3D11_QUERY_DATA_PIPELINE_STATISTICS (functional specification 20.4.7). */
export interface PipelineStatistics {
  iaVertices: number
  iaPrimitives: number
  vsInvocations: number
  gsInvocations: number
  gsPrimitives: number
  cInvocations: number
  cPrimitives: number
  psInvocations: number
  hsInvocations: number
  dsInvocations: number
  csInvocations: number
}

export function newStatistics(): PipelineStatistics {
  return {
    iaVertices: 0,
    iaPrimitives: 0,
    vsInvocations: 0,
    gsInvocations: 0,
    gsPrimitives: 0,
    cInvocations: 0,
    cPrimitives: 0,
    psInvocations: 0,
    hsInvocations: 0,
    dsInvocations: 0,
    csInvocations: 0,
  }
}
