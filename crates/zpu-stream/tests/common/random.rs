//! Random orders and forks on small tensors: digits of the extents in any order for the most part, and windows, bands,
//! taps, mirrored and skewed walks, overwritten and clipped tokens.

use zpu_stream::fork::{Consumer, ConsumerId, Fork};
use zpu_stream::order::{Expr, Map, Order};

/// Numbers that depend on a seed only.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        // splitmix64, Steele, Lea and Flood, OOPSLA 2014.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: i64) -> i64 {
        (self.next() % limit.max(1) as u64) as i64
    }

    pub fn number(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(to - from + 1)
    }

    /// True with a chance of so many in a hundred.
    pub fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at as i64 + 1) as usize);
        }
    }
}

/// A tensor of one to three dimensions and at most so many elements.
pub fn shape(random: &mut Random, most: i64) -> Vec<i64> {
    loop {
        let rank = [1, 2, 2, 2, 3][random.below(5) as usize];
        let extent = |random: &mut Random| [2, 3, 4, 4, 6, 6, 8, 5, 12, 9][random.below(10) as usize];
        let shape: Vec<i64> = (0..rank).map(|_| extent(random)).collect();
        if shape.iter().product::<i64>() <= most {
            return shape;
        }
    }
}

/// One loop while an order is made: what it moves.
type Moves = (i64, Vec<i64>);

fn factors(random: &mut Random, mut rest: i64) -> Vec<i64> {
    let mut factors = Vec::new();
    while rest > 1 {
        let divisors: Vec<i64> = (2..=rest).filter(|n| rest % n == 0).collect();
        let factor = divisors[random.below(divisors.len() as i64) as usize];
        factors.push(factor);
        rest /= factor;
    }
    factors
}

fn order(loops: &[Moves], base: &[i64], token: Vec<i64>) -> Order {
    let row = |dimension: usize| -> (Vec<i64>, i64) {
        (loops.iter().map(|(_, step)| step[dimension]).collect(), base[dimension])
    };
    let rows: Vec<(Vec<i64>, i64)> = (0..base.len()).map(row).collect();
    Order::new(
        loops.iter().map(|(trip, _)| *trip).collect(),
        Map::linear(loops.len(), &rows),
        token,
    )
}

/// All digits of a tensor, in row-major or any order, some of them inside the token.
pub fn digits(random: &mut Random, shape: &[i64], repeats: bool) -> Order {
    let mut loops: Vec<Moves> = Vec::new();
    let mut token = vec![1; shape.len()];
    let is_fine = random.chance(30);
    for (dimension, &extent) in shape.iter().enumerate() {
        let mut stride = 1;
        for (at, factor) in factors(random, extent).into_iter().enumerate() {
            if at == 0 && !is_fine && random.chance(40) {
                token[dimension] = factor;
            } else {
                let mut step = vec![0; shape.len()];
                step[dimension] = stride;
                loops.push((factor, step));
            }
            stride *= factor;
        }
    }
    if random.chance(60) {
        // Row-major: the first dimension and the largest stride first.
        loops.sort_by_key(|(_, step)| {
            let dimension = step.iter().position(|&step| step > 0).unwrap_or(0);
            (dimension, -step[dimension])
        });
        if random.chance(50) && loops.len() > 1 {
            let (one, other) = (random.below(loops.len() as i64), random.below(loops.len() as i64));
            loops.swap(one as usize, other as usize);
        }
    } else {
        random.shuffle(&mut loops);
    }
    if repeats && random.chance(30) {
        let at = random.below(loops.len() as i64 + 1) as usize;
        loops.insert(at, (random.number(2, 3), vec![0; shape.len()]));
    }
    if random.chance(10) {
        loops.insert(random.below(loops.len() as i64 + 1) as usize, (1, vec![1; shape.len()]));
    }
    let mut order = order(&loops, &vec![0; shape.len()], token);
    if random.chance(20) {
        random.shuffle(&mut order.lanes);
    }
    order
}

/// One loop over all elements in row-major order of some dimensions, with quotients and remainders.
pub fn flat(random: &mut Random, shape: &[i64]) -> Order {
    let mut dimensions: Vec<usize> = (0..shape.len()).collect();
    random.shuffle(&mut dimensions);
    let mut results = vec![Expr::Constant(0); shape.len()];
    let mut below = 1;
    for &dimension in &dimensions {
        let quotient = Expr::FloorDiv(Box::new(Expr::Index(0)), below);
        results[dimension] = Expr::Mod(Box::new(quotient), shape[dimension]);
        below *= shape[dimension];
    }
    Order::new(vec![below], Map { inputs: 1, results }, vec![1; shape.len()])
}

/// A window, a band or taps that move over the tensor, row-major; some reach over its borders.
pub fn window(random: &mut Random, shape: &[i64]) -> Order {
    let mut loops: Vec<Moves> = Vec::new();
    let mut base = vec![0; shape.len()];
    let mut token = vec![1; shape.len()];
    let mut dilation = vec![1; shape.len()];
    for (dimension, &extent) in shape.iter().enumerate() {
        let width = random.number(1, extent.min(4));
        let stride = random.number(1, width.min(3));
        token[dimension] = width;
        if random.chance(15) && width > 1 {
            dilation[dimension] = 2;
        }
        let reach = (width - 1) * dilation[dimension] + 1;
        if random.chance(20) {
            base[dimension] = -random.below(width);
        }
        let room = extent - reach - base[dimension];
        let trip = if random.chance(85) {
            room.max(0) / stride + 1
        } else {
            random.number(1, extent)
        };
        let mut step = vec![0; shape.len()];
        step[dimension] = stride;
        loops.push((trip, step));
    }
    if random.chance(10) {
        random.shuffle(&mut loops);
    }
    order(&loops, &base, token).with_dilation(dilation)
}

/// Any steps at all, with tokens of any size.
pub fn wild(random: &mut Random, shape: &[i64]) -> Order {
    let count = random.number(1, 3);
    let step = |random: &mut Random| -> Vec<i64> { shape.iter().map(|_| random.number(-2, 3)).collect() };
    let loops: Vec<Moves> = (0..count).map(|_| (random.number(1, 6), step(random))).collect();
    let base: Vec<i64> = shape.iter().map(|&extent| random.number(-1, extent / 2)).collect();
    let token = shape.iter().map(|&extent| random.number(1, extent)).collect();
    let mut order = order(&loops, &base, token);
    random.shuffle(&mut order.lanes);
    if random.chance(20) {
        order.dilation = shape.iter().map(|_| random.number(1, 2)).collect();
    }
    order
}

/// The digits backwards along one dimension.
pub fn mirrored(random: &mut Random, shape: &[i64]) -> Order {
    let dimension = random.below(shape.len() as i64) as usize;
    let mut order = Order::rows(shape);
    order.map.results[dimension] = Expr::Sum(vec![
        Expr::Index(dimension).scaled(-1),
        Expr::Constant(shape[dimension] - 1),
    ]);
    order
}

/// An order for a producer.
pub fn producer(random: &mut Random, shape: &[i64]) -> Order {
    match random.below(100) {
        0..90 => digits(random, shape, true),
        90..93 => flat(random, shape),
        93..96 => wild(random, shape),
        96..98 => mirrored(random, shape),
        _ => window(random, shape),
    }
}

/// An order for a consumer.
pub fn consumer(random: &mut Random, shape: &[i64]) -> Order {
    match random.below(100) {
        0..85 => digits(random, shape, true),
        85..89 => flat(random, shape),
        89..96 => window(random, shape),
        96..98 => wild(random, shape),
        _ => mirrored(random, shape),
    }
}

/// A producer and a consumer of at most so many elements.
pub fn pair(random: &mut Random, most: i64) -> Fork {
    let shape = shape(random, most);
    let producer = producer(random, &shape);
    let consumer = if random.chance(10) {
        producer.clone()
    } else {
        consumer(random, &shape)
    };
    Fork::pair(shape, producer, consumer)
}

/// Rows that are each turned by some more than the one before.
pub fn skewed(random: &mut Random, shape: &[i64]) -> Order {
    let mut order = Order::rows(shape);
    let last = shape.len() - 1;
    let by = random.number(0, 2);
    let turned = Expr::Sum(vec![
        Expr::Index(0).scaled(by),
        Expr::Index(last),
        Expr::Constant(random.number(0, 2)),
    ]);
    order.map.results[last] = Expr::Mod(Box::new(turned), shape[last]);
    order
}

/// A producer in rows or digits, and a consumer that is a window or a skewed walk in half of the cases.
pub fn hard_pair(random: &mut Random, most: i64) -> Fork {
    let shape = shape(random, most);
    let producer = match random.below(100) {
        0..50 => Order::rows(&shape),
        50..90 => digits(random, &shape, true),
        _ => producer(random, &shape),
    };
    let consumer = match random.below(100) {
        0..35 => window(random, &shape),
        35..45 => skewed(random, &shape),
        45..50 => wild(random, &shape),
        _ => digits(random, &shape, true),
    };
    Fork::pair(shape, producer, consumer)
}

/// Two to four consumers, some with gates on others, a few of which wait for each other.
pub fn fork(random: &mut Random, most: i64) -> Fork {
    let shape = shape(random, most);
    let producer = producer(random, &shape);
    let count = random.number(2, 4);
    let mut consumers: Vec<Consumer> = Vec::new();
    for number in 0..count {
        let order = match consumers.last() {
            Some(other) if random.chance(30) => other.order.clone(),
            _ => consumer(random, &shape),
        };
        consumers.push(Consumer::new(format!("c{number}"), order));
    }
    for at in 0..consumers.len() {
        let allowed = if random.chance(95) { at } else { consumers.len() };
        if allowed > 0 && random.chance(50) {
            let on = random.below(allowed as i64) as usize;
            let most = consumers[at].order.loops.len().min(consumers[on].order.loops.len());
            let prefix = random.below(most as i64 + 1) as usize;
            consumers[at] = consumers[at].clone().gated(ConsumerId(on as u32), prefix);
        }
    }
    Fork {
        name: String::new(),
        tensor: shape,
        producer,
        consumers,
    }
}
