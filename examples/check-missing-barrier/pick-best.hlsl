// Each of 64 threads has tried one way to encode a block; the group keeps the one with the least error.
// The steps below 64 threads trust that 32 threads run in lockstep, and so leave the barriers out.
StructuredBuffer<uint> errors : register(t0);

struct Best
{
    uint error;
    uint mode;
};
RWStructuredBuffer<Best> best : register(u0);

groupshared Best shared_best[64];

[numthreads(64, 1, 1)]
void main(uint gi : SV_GroupIndex, uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID)
{
    Best mine;
    mine.error = errors[id.x];
    mine.mode = gi;
    shared_best[gi] = mine;
    GroupMemoryBarrierWithGroupSync();
    [unroll] for (uint n = 32; n > 0; n >>= 1)
    {
        if (gi < n)
        {
            if (shared_best[gi + n].error < mine.error)
                mine = shared_best[gi + n];
            shared_best[gi] = mine;
        }
#ifdef BARRIERS
        GroupMemoryBarrierWithGroupSync();
#endif
    }
    if (gi == 0)
        best[group.x] = mine;
}
