import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of declarations of single stages, and of index ranges and signatures. */
export const STAGE_RULES = {
  'validate-phase-order': {
    severity: 'error',
    title: 'Hull shader phases out of order',
    explanation:
      'A hull shader has its declarations, then at most one control point phase, then fork phases, then join phases, then function bodies.',
    source: 'functional specification 10.6',
  },
  'validate-stage-declaration': {
    severity: 'error',
    title: 'Declaration that the stage needs is missing',
    explanation:
      'Geometry shaders declare their input primitive, largest number of vertices and, where they have outputs, output topology; hull shaders their control points and the tessellator; domain shaders their domain.',
    source: 'functional specification 22.3.5, 22.3.6, 22.3.8, 10.3',
  },
  'validate-stage-choice': {
    severity: 'error',
    title: 'Value that is none of the choices',
    explanation:
      'The declaration holds a number that stands for no primitive, topology, domain or partitioning. The stage before or behind cannot be set up for it.',
    source: 'functional specification 22.3',
  },
  'validate-control-point-count': {
    severity: 'error',
    title: 'Impossible number of control points',
    explanation:
      'A patch has 1 to 32 control points; a hull shader may put out none. Patches are assembled from that many vertices, and the hardware has room for 32.',
    source: 'functional specification 22.3.18, 22.3.19',
  },
  'validate-tessellator': {
    severity: 'error',
    title: 'Output primitive that the domain does not have',
    explanation:
      'Isolines are put out as points or lines, triangles and quads as points or triangles. The domain decides what connectivity the tessellator makes.',
    source: 'functional specification 11.7.15',
  },
  'validate-pass-through': {
    severity: 'error',
    title: 'Control points that nothing writes',
    explanation:
      'Without a control point phase control points pass through, so that their number stays the same or becomes 0. Add a control point phase that makes the other points.',
    source: 'functional specification 10.6',
  },
  'validate-max-tess-factor': {
    severity: 'error',
    title: 'Largest tessellation factor out of range',
    explanation:
      'The largest tessellation factor is a float from 1 to 64. The tessellator takes no larger factors, and smaller ones than 1 cull the patch.',
    source: 'functional specification 22.3.20',
  },
  'validate-phase-instances': {
    severity: 'error',
    title: 'Instance count out of place',
    explanation:
      'The instance count of a fork or join phase stands in that phase and is at least 1. Instances of a phase that is not there cannot run.',
    source: 'functional specification 22.3.24, 22.3.27',
  },
  'validate-vertex-count': {
    severity: 'error',
    title: 'Impossible number of vertices',
    explanation:
      'A geometry shader declares 1 to 1024 vertices, of at most 1024 scalars in all, and at most 1024 over all its instances.',
    source: 'functional specification 22.3.5, 22.3.7',
  },
  'validate-gs-instances': {
    severity: 'error',
    title: 'Impossible number of instances',
    explanation: 'A geometry shader has 1 to 32 instances. Emit more vertices in each, or draw more than once.',
    source: 'functional specification 22.3.7',
  },
  'validate-stream': {
    severity: 'error',
    title: 'Stream that is not there or declared twice',
    explanation:
      'There are the streams m0 to m3; one that is written is declared, once. Declare it before the outputs that belong to it.',
    source: 'functional specification 22.3.9',
  },
  'validate-stream-emit': {
    severity: 'error',
    title: 'Emit without a stream where there are several',
    explanation:
      'With more than one stream every emit and cut names the stream that it is for. Use emit_stream and cut_stream.',
    source: 'functional specification 13.5.2',
  },
  'validate-vertex-axis': {
    severity: 'error',
    title: 'Vertex that the primitive or patch does not have',
    explanation:
      'The first index of vertex data is the vertex or control point. There are as many as the declared primitive or patch has, both in declarations and where a number is read.',
    source: 'functional specification 13.10, 22.3.10',
  },
  'validate-tess-factor-domain': {
    severity: 'error',
    title: 'Tessellation factor of another domain',
    explanation:
      'Quads, triangles and isolines have factors of their own; the declared domain says which the tessellator reads. Others would be taken for plain data, and its own would be missing.',
    source: 'functional specification 10.10',
  },
  'validate-control-point-size': {
    severity: 'error',
    title: 'Control points too large',
    explanation:
      'All output control points together have at most 3968 scalars: the storage of the hull shader less what patch constants take.',
    source: 'functional specification 10.7',
  },
  'validate-stream-topology': {
    severity: 'error',
    title: 'Several streams of more than points',
    explanation:
      'A geometry shader with more than one stream puts out points in each. Strips of lines and triangles need a geometry shader with one stream.',
    source: 'functional specification 13.5.2',
  },
  'validate-index-range': {
    severity: 'error',
    title: 'Index range out of shape',
    explanation:
      'An index range names two or more registers that exist, of which some are declared; outputs of a pixel shader cannot be indexed.',
    source: 'functional specification 22.3.30',
  },
  'validate-index-range-overlap': {
    severity: 'error',
    title: 'Index ranges overlap',
    explanation:
      'Index ranges of one register file do not share components. Where two ranges meet, one range declares them both.',
    source: 'functional specification 22.3.30',
  },
  'validate-signature-register': {
    severity: 'error',
    title: 'Declared register that the signature lacks',
    explanation:
      'The runtime links stages by their signatures; a register or component that the program declares and the signature does not have gets no data or goes nowhere.',
    source: 'functional specification 4.4.3.2',
  },
  'validate-signature-system-value': {
    severity: 'error',
    title: 'System value that the signature does not say',
    explanation:
      'The declaration and the signature must agree on what the hardware puts into a register or takes from it. Otherwise the stages are linked by one and run by the other.',
    source: 'functional specification 4.4.4, 4.4.5',
  },
  'validate-signature-overlap': {
    severity: 'error',
    title: 'Elements that share a component',
    explanation:
      'Two elements of a signature stand in the same component of a register. The stage on the other side could not know which of them it reads.',
    source: 'functional specification 4.4.3.2',
  },
} as const satisfies Record<string, CodeInfo>
