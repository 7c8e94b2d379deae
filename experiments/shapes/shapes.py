"""Trains structures of networks on growing parts of the same games, and judges them on one set of positions.

    shapes.py --data FOLDER ... --referee FOLDER --out FOLDER --plan NAME:SAMPLES:EPOCHS[:RATE] ...

The folders of data and referee are those of `tengen-tune arrays`; SHAPES has the names. Each epoch is a line of
OUT/shapes.jsonl. Needs PyTorch and numpy. Nothing that it learns becomes part of the engine: it only says what a structure
could see.
"""
import argparse
import json
import math
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

P = 22
DEV = 'cuda' if torch.cuda.is_available() else 'cpu'
GAMES = np.dtype([('w', 'u1'), ('h', 'u1'), ('held', 'u1'), ('x', 'u1'), ('n', '<u4'), ('at', '<u4')])
SAMPLES = np.dtype([('game', '<u4'), ('ply', '<u2'), ('best', '<u2'), ('target', '<f4'), ('result', '<f4'),
                    ('bits', '<u8'), ('h0', '<i2'), ('h1', '<i2'), ('asked', '<u4')])
PAIRS, NEAR, THREATS, STAGES = 196, 23, 56, 4
LIMIT, POOL = 255 / 64, 32.0


class Data:
    def __init__(self, folders):
        gs, ms, ss, cs = [], [], [], []
        ng = nm = 0
        for folder in folders:
            g = np.fromfile(f'{folder}/games', GAMES).copy(); m = np.fromfile(f'{folder}/moves', '<u2')
            s = np.fromfile(f'{folder}/samples', SAMPLES).copy()
            c = np.fromfile(f'{folder}/cells', 'u1').reshape(-1, P * P)
            g['at'] += nm; s['game'] += ng; ng += len(g); nm += len(m)
            gs.append(g); ms.append(m); ss.append(s); cs.append(c)
        g, m, s, c = map(np.concatenate, (gs, ms, ss, cs))
        to = lambda a, t: torch.from_numpy(np.ascontiguousarray(a)).to(DEV, t)
        self.moves = to(m.astype('i8'), torch.long)
        self.at = to(g['at'].astype('i8'), torch.long)
        self.w, self.h = to(g['w'].astype('i8'), torch.long), to(g['h'].astype('i8'), torch.long)
        self.game, self.ply = to(s['game'].astype('i8'), torch.long), to(s['ply'].astype('i8'), torch.long)
        self.best = to(s['best'].astype('i8'), torch.long)
        self.target, self.result = to(s['target'], torch.float), to(s['result'], torch.float)
        bits = np.unpackbits(s['bits'].copy().view('u1').reshape(-1, 8), axis=1, bitorder='little')[:, :THREATS]
        self.threats = to(bits, torch.uint8)
        self.hints = torch.stack([to(s['h0'].astype('f4'), torch.float), to(s['h1'].astype('f4'), torch.float)], 1) / 512
        self.cells = to(c, torch.uint8)
        self.small = (self.w[self.game] <= 15) & (self.h[self.game] <= 15)
        self.held = to(g['held'], torch.uint8)[self.game].bool()
        self.games = len(g)
        self.plies = nm


def symmetry(S, k):
    i = np.arange(S * S).reshape(S, S)
    if k & 1: i = i[:, ::-1]
    if k & 2: i = i[::-1]
    if k & 4: i = i.T
    perm = np.ascontiguousarray(i).reshape(-1)   # new[j] = old[perm[j]]
    inv = np.empty_like(perm); inv[perm] = np.arange(S * S)
    return torch.from_numpy(perm).to(DEV), torch.from_numpy(inv).to(DEV)


SYM = {S: [symmetry(S, k) for k in range(8)] for S in (15, 22)}
CROP = {S: torch.tensor([y * P + x for y in range(S) for x in range(S)], device=DEV) for S in (15, 22)}
NEAR_TABLE = torch.full((64, 64), NEAR - 2, dtype=torch.long, device=DEV)
for a in range(6):
    for b in range(6):
        far, near = max(a, b), min(a, b)
        NEAR_TABLE[a, b] = far * (far + 1) // 2 + near


def batch(d, idx, S, k):
    """kinds [B,S,S] (0 empty, 1 own, 2 opposing, 3 wall), pairs [B,S*S], near [B,2,S*S], best [B] (-1 if no candidate)."""
    game, ply = d.game[idx], d.ply[idx]
    B, L = len(idx), int(ply.max().item()) if len(idx) else 0
    order = torch.arange(max(L, 1), device=DEV)
    there = order < ply[:, None]
    at = (d.at[game][:, None] + order).clamp(max=len(d.moves) - 1)
    mv = torch.where(there, d.moves[at], P * P)
    own = (order & 1) == (ply[:, None] & 1)
    board = torch.zeros(B, P * P + 1, dtype=torch.uint8, device=DEV)
    board.scatter_(1, mv, torch.where(own, 1, 2).to(torch.uint8))
    crop = CROP[S]
    kinds = board[:, crop]
    y, x = crop // P, crop % P
    wall = (x >= d.w[game][:, None]) | (y >= d.h[game][:, None])
    kinds = torch.where(wall, torch.tensor(3, dtype=torch.uint8, device=DEV), kinds)
    pairs = d.cells[idx][:, crop]
    perm, inv = SYM[S][k]
    kinds, pairs = kinds[:, perm], pairs[:, perm]
    to_s = lambda p: inv[(p // P) * S + p % P]
    best = to_s(d.best[idx])
    near = []
    cy, cx = torch.arange(S * S, device=DEV) // S, torch.arange(S * S, device=DEV) % S
    for back in (1, 2):
        has = ply >= back
        last = d.moves[(d.at[game] + (ply - back).clamp(min=0))]
        ls = to_s(last)
        cls = NEAR_TABLE[(ls[:, None] // S - cy).abs(), (ls[:, None] % S - cx).abs()]
        near.append(torch.where(has[:, None], cls, NEAR - 1))
    ok = pairs.gather(1, best[:, None])[:, 0] != 255
    stage = (ply >= 14).long() + (ply >= 24) + (ply >= 40)
    sizes, back = torch.unique(d.w[game] * 32 + d.h[game], return_inverse=True)
    some = torch.zeros(len(sizes), dtype=torch.long, device=DEV).scatter_(0, back, torch.arange(B, device=DEV))
    return dict(kinds=kinds.view(B, S, S), sizes=(some, back), pairs=pairs, near=near, best=best, ok=ok, stage=stage,
                threats=d.threats[idx].float(), hints=d.hints[idx], target=d.target[idx], result=d.result[idx])


DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


class Lines(nn.Module):
    """The vector of a cell for both sides: the sum over four lines of a function of the nine cells of each."""
    def __init__(self, channels, hidden=64):
        super().__init__()
        self.c = channels
        self.taps = nn.Parameter(torch.randn(9, 3, hidden) * 0.3)
        self.bias1 = nn.Parameter(torch.zeros(hidden))
        self.second = nn.Linear(hidden, hidden)
        self.out = nn.Parameter(torch.randn(2, hidden, channels) * (0.5 / hidden ** 0.5))
        self.bias = nn.Parameter(torch.full((channels,), 0.1))

    def forward(self, kinds):
        B, S, _ = kinds.shape
        padded = F.pad(kinds, (4, 4, 4, 4), value=3)
        swap = torch.cat([self.taps, self.taps[:, [1, 0, 2]]], 2).reshape(27, -1)     # own and opposing side
        total = 0
        for n, (dy, dx) in enumerate(DIRECTIONS):
            views = [padded[:, 4 + k * dy:4 + k * dy + S, 4 + k * dx:4 + k * dx + S] for k in range(-4, 5)]
            w = torch.stack(views, -1)                                                    # B S S 9
            hot = torch.stack([w == 1, w == 2, w == 3], -1).to(torch.bfloat16).view(B * S * S, 27)
            a = (hot @ swap.to(torch.bfloat16)).view(B * S * S, 2, -1) + self.bias1
            a = F.relu(a, inplace=True)
            a = F.relu(self.second(a), inplace=True)
            total = total + a @ self.out[n // 2].to(a.dtype)
        return (total + self.bias).view(B, S, S, 2 * self.c)                                # own half first


class Heads(nn.Module):
    """The value head and the policy of each stage, from pooled vectors and vectors of cells."""
    def __init__(self, pooled, width, first=32, second=16, hidden_policy=0, made=False):
        super().__init__()
        self.sizes = (pooled, first, second)
        n = pooled + THREATS + 2
        g = lambda *s, k=1.0: nn.Parameter(torch.randn(STAGES, *s) * k)
        self.w1, self.b1 = g(n, first, k=0.1), nn.Parameter(torch.full((STAGES, first), 0.2))
        self.w2, self.b2 = g(first, second, k=0.2), nn.Parameter(torch.full((STAGES, second), 0.2))
        self.w3, self.skip, self.b3 = g(second, k=0.1), g(n, k=0.02), nn.Parameter(torch.zeros(STAGES))
        self.policy = g(width, k=0.05)
        self.pairs = nn.Parameter(torch.zeros(STAGES, PAIRS + 60))
        self.near = nn.Parameter(torch.zeros(STAGES, 2, NEAR))
        self.hidden = None
        if hidden_policy:
            self.hidden = nn.Linear(width, hidden_policy)
            self.hidden_out = g(hidden_policy, k=0.05)
        self.made = nn.Linear(n, width) if made else None
        if made:
            nn.init.zeros_(self.made.weight); nn.init.zeros_(self.made.bias)

    def forward(self, b, pooled, cells):
        s = b['stage']
        x = torch.cat([pooled.float(), b['threats'], b['hints']], 1)
        with torch.autocast(DEV, enabled=False):
            # all stages are computed, one is taken
            h = torch.einsum('bn,snf->bsf', x, self.w1) + self.b1
            h = h.clamp(0, 4)
            h2 = torch.einsum('bsf,sfg->bsg', h, self.w2) + self.b2
            h2 = h2.clamp(0, 4)
            v = (h2 * self.w3).sum(2) + x @ self.skip.T + self.b3
            value = v.gather(1, s[:, None])[:, 0]
        w = self.policy[s]
        if self.made is not None:
            w = w + self.made(x)
        B = len(s)
        flat = cells.reshape(B, -1, cells.shape[-1])
        p = torch.bmm(flat, w.to(flat.dtype)[:, :, None])[:, :, 0].float()
        if self.hidden is not None:
            h = F.relu(self.hidden(flat))
            p = p + torch.bmm(h, self.hidden_out[s].to(h.dtype)[:, :, None])[:, :, 0].float()
        p = p + self.pairs[s].gather(1, b['pairs'].long())
        for i in (0, 1):
            p = p + self.near[s, i].gather(1, b['near'][i])
        return value, p.masked_fill(b['pairs'] == 255, -1e4)


class Net(nn.Module):
    """Lines, perhaps a depthwise 3x3, pooled, and heads."""
    def __init__(self, channels=16, conv=0, hidden_policy=0, made=False, first=32, hidden=64, blocks=0, filters=128):
        super().__init__()
        self.lines = Lines(channels, hidden)
        W = 2 * channels
        self.conv = conv
        if conv:
            self.depth = nn.Conv2d(conv * 2, conv * 2, 3, padding=1, groups=conv * 2, bias=True)
            self.channels = channels
        pooled, width = W + 2 * conv, W + 2 * conv
        self.blocks = None
        if blocks:
            self.enter = nn.Conv2d(W + 1, filters, 1)
            self.blocks = nn.ModuleList([Block(filters, i % 2 == 1) for i in range(blocks)])
            self.leave = nn.BatchNorm2d(filters)
            pooled, width = W + 2 * filters, W + filters
        self.heads = Heads(pooled, width, first, 16, hidden_policy, made)

    def cells(self, kinds):
        a = self.lines(kinds).clamp(0, LIMIT)
        if self.conv:
            half = a.shape[-1] // 2
            part = torch.cat([a[..., :self.conv], a[..., half:half + self.conv]], -1)
            part = part * (kinds != 3)[..., None]
            c = self.depth(part.permute(0, 3, 1, 2)).clamp(0, LIMIT).permute(0, 2, 3, 1)
            a = torch.cat([a, c], -1)
        return a

    def forward(self, b):
        kinds = b['kinds']
        mask = (kinds != 3)[..., None].float()
        a = self.cells(kinds)
        wall = torch.where(kinds == 3, 3, 0).to(torch.uint8)
        # Few boards have few sizes: the empty board of each distinct wall pattern once.
        some, back = b['sizes']
        key = wall[some]
        empty = self.cells(key)
        e_pool = (empty.float() * (key != 3)[..., None]).sum((1, 2))
        pooled = ((a.float() * mask).sum((1, 2)) - e_pool[back]) / POOL
        if self.blocks is not None:
            m = mask.permute(0, 3, 1, 2)
            z = torch.cat([a.permute(0, 3, 1, 2), m.to(a.dtype)], 1)
            z = self.enter(z) * m
            for block in self.blocks:
                z = block(z, m)
            z = F.relu(self.leave(z)) * m
            mean = z.float().sum((2, 3)) / m.sum((2, 3))
            big = z.float().amax((2, 3))
            pooled = torch.cat([pooled, mean, big], 1)
            a = torch.cat([a, z.permute(0, 2, 3, 1).to(a.dtype)], -1)
        return self.heads(b, pooled, a)


class Block(nn.Module):
    def __init__(self, c, gather):
        super().__init__()
        self.n1, self.n2 = nn.BatchNorm2d(c), nn.BatchNorm2d(c)
        self.c1, self.c2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.gather = nn.Linear(2 * c, c) if gather else None

    def forward(self, z, m):
        h = self.c1(F.relu(self.n1(z)) * m)
        if self.gather is not None:
            g = torch.cat([(h * m).float().sum((2, 3)) / m.sum((2, 3)), (h * m).float().amax((2, 3))], 1)
            h = h + self.gather(g)[:, :, None, None].to(h.dtype)
        return z + self.c2(F.relu(self.n2(h)) * m) * m


# M: the lines' vectors come from a network of two hidden layers instead of a table; H: a wider head; C: a depthwise 3x3 over
# some channels; P and D: a policy with a hidden layer and weights made by the position; R: residual blocks of 3x3 on top.
SHAPES = {
    'M16': dict(channels=16),
    'M32': dict(channels=32),
    'M64': dict(channels=64),
    'H32': dict(channels=32, first=64),
    'C8': dict(channels=32, conv=8),
    'C32': dict(channels=32, conv=32),
    'D32': dict(channels=32, conv=32, hidden_policy=32, made=True),
    'P32': dict(channels=32, hidden_policy=32, made=True),
    'R': dict(channels=32, blocks=6, filters=128),
    'R4': dict(channels=32, blocks=4, filters=96),
}


def losses(model, b):
    value, policy = model(b)
    target = b['target']
    bce = F.binary_cross_entropy_with_logits(value, target, reduction='none')
    ce = F.cross_entropy(policy, b['best'], reduction='none')
    return value, policy, bce, ce


def judge(model, d, idx, size):
    model.eval()
    out = np.zeros(6)
    with torch.no_grad(), torch.autocast(DEV, dtype=torch.bfloat16):
        for S, small in ((15, True), (22, False)):
            part = idx[d.small[idx] == small]
            for i in range(0, len(part), size):
                b = batch(d, part[i:i + size], S, 0)
                value, policy, bce, ce = losses(model, b)
                t = b['target'].clamp(1e-7, 1 - 1e-7)
                entropy = -(t * t.log() + (1 - t) * (1 - t).log())
                ok = b['ok']
                first = (policy.argmax(1) == b['best']) & ok
                out += [len(t), bce.sum().item(), entropy.sum().item(), ok.sum().item(), ce[ok].sum().item(), first.sum().item()]
    model.train()
    n, bce, entropy, m, ce, first = out
    return dict(n=int(n), value=bce / n, kl=(bce - entropy) / n, policy=ce / m, first=100 * first / m)


def train(name, samples, epochs, d, ref, size, rate, log):
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    net = Net(**SHAPES[name]).to(DEV)
    if DEV == 'cuda':
        net = net.to(memory_format=torch.channels_last) if SHAPES[name].get('blocks') else net
    # Games in the order of the file, a held-out twentieth left out; the first so many samples.
    all_idx = torch.arange(len(d.game), device=DEV)
    learn = all_idx[~d.held][:samples]
    held = all_idx[d.held][:40000]
    steps = sum(math.ceil(int((d.small[learn] == s).sum()) / size) for s in (True, False)) * epochs
    decay = [p for n, p in net.named_parameters() if p.ndim > 1]
    rest = [p for n, p in net.named_parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([dict(params=decay, weight_decay=0.02), dict(params=rest, weight_decay=0.0)], lr=rate, betas=(0.9, 0.99))
    step, began = 0, time.time()
    for epoch in range(epochs):
        parts = []
        for S, small in ((15, True), (22, False)):
            part = learn[d.small[learn] == small]
            part = part[torch.randperm(len(part), device=DEV)]
            parts += [(S, part[i:i + size]) for i in range(0, len(part), size)]
        rng.shuffle(parts)
        total = torch.zeros(2, device=DEV)
        for S, idx in parts:
            falling = 0.5 + 0.5 * math.cos(math.pi * step / steps)
            for group in opt.param_groups:
                group['lr'] = rate * min(1, (step + 1) / 200) * (0.01 + 0.99 * falling)
            b = batch(d, idx, S, int(rng.integers(8)))
            with torch.autocast(DEV, dtype=torch.bfloat16):
                _, _, bce, ce = losses(net, b)
                ok = b['ok'].float()
                loss = bce.mean() + 0.3 * (ce * ok).sum() / ok.sum().clamp(min=1)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            total += torch.stack([bce.mean().detach(), ((ce * ok).sum() / ok.sum().clamp(min=1)).detach()])
            step += 1
        mean = (total / len(parts)).tolist()
        row = dict(shape=name, samples=len(learn), epoch=epoch + 1, epochs=epochs, rate=rate, seconds=round(time.time() - began, 1),
                   learn_value=round(mean[0], 4), learn_policy=round(mean[1], 4))
        if epoch + 1 == epochs or epochs >= 4:
            h, r = judge(net, d, held, size), judge(net, ref, torch.arange(len(ref.game), device=DEV), size)
            row |= dict(held_value=round(h['value'], 4), held_policy=round(h['policy'], 4), held_first=round(h['first'], 1),
                        kl=round(r['kl'], 4), policy=round(r['policy'], 4), first=round(r['first'], 1), referee=r['n'])
        print(json.dumps(row), flush=True)
        log.write(json.dumps(row) + '\n'); log.flush()


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('--data', nargs='+', required=True)
    a.add_argument('--referee', required=True)
    a.add_argument('--out', required=True)
    a.add_argument('--plan', nargs='+', required=True)
    a.add_argument('--batch', type=int, default=2048)
    o = a.parse_args()
    began = time.time()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.set_float32_matmul_precision('high')
    torch.backends.cudnn.benchmark = True
    d, ref = Data(o.data), Data([o.referee])
    print(f'{d.games} games, {len(d.game)} samples; referee {len(ref.game)}; {time.time() - began:.0f} s', flush=True)
    log = open(f'{o.out}/shapes.jsonl', 'a')
    for plan in o.plan:
        name, samples, epochs, *rate = plan.split(':')
        rate = float(rate[0]) if rate else (1e-3 if name[0] == 'R' else 2e-3)
        train(name, int(float(samples)), int(epochs), d, ref, o.batch, rate, log)


main()
