//! The hits of a run that is a dict of dicts, without a copy of the dict.
//!
//! Only the scores of most results are read: the judged documents are looked up in the dict, and other
//! ids matter only if their score is tied with that of a judged document.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};

use super::objects::{inner, number, utf8};
use crate::join::Joined;
use crate::judgments::{JudgedQuery, Judgments};
use crate::layout::Value;
use crate::ranking::{Hit, Order, Reduced, Results, Ties};

/// The hits of a dict of dicts; `None` if an id is not text.
pub fn join(nested: &Bound<'_, PyDict>, judgments: &Judgments, order: Order) -> PyResult<Option<Joined>> {
    let mut joined = Joined::new(judgments);
    let mut scores = Vec::new();
    for (query, results) in nested {
        let Ok(query) = query.cast_into::<PyString>() else { return Ok(None) };
        let query_id = utf8(&query, "query")?;
        let results = inner(&results, query_id)?;
        if !read_scores(&results, query_id, order, &mut scores)? {
            return Ok(None);
        }
        let position = judgments.position(query_id.as_bytes());
        let every_id_matters = order.keep > 0
            || order.ties == Ties::Input
            || order.elsewhere
            || (order.drop_own && results.contains(&query)?);
        let reduced = match position.map(|position| judgments.of(position)) {
            None => Reduced { returned: scores.len() as u32, ..Reduced::default() },
            Some(judged) if every_id_matters => {
                in_full(&results, &scores, judgments, query_id, judged, order)?
            }
            Some(judged) => by_scores(&results, &scores, judged, order)?,
        };
        joined.take(position, query_id.as_bytes(), reduced);
        nested.py().check_signals()?;
    }
    Ok(Some(joined))
}

/// Reads the scores in the order of the dict; false if a document's id is not text.
fn read_scores(
    results: &Bound<'_, PyDict>,
    query: &str,
    order: Order,
    scores: &mut Vec<f64>,
) -> PyResult<bool> {
    scores.clear();
    for (doc, score) in results {
        let Ok(doc) = doc.cast::<PyString>() else { return Ok(false) };
        let value = match score.cast_exact::<PyFloat>() {
            Ok(float) if !float.value().is_nan() => float.value(),
            _ => number(&score, Value::Score, query, utf8(doc, "document")?)?,
        };
        scores.push(order.comparable(value));
    }
    Ok(true)
}

fn by_scores(
    results: &Bound<'_, PyDict>,
    scores: &[f64],
    judged: JudgedQuery<'_>,
    order: Order,
) -> PyResult<Reduced> {
    let mut falling = scores.to_vec();
    if !falling.is_sorted_by(|a, b| a >= b) {
        falling.sort_unstable_by(|a, b| b.total_cmp(a));
    }
    let tied =
        falling.chunk_by(|a, b| a == b).filter(|group| group.len() > 1).map(<[f64]>::len).sum::<usize>();
    let mut reduced = Reduced { returned: scores.len() as u32, tied: tied as u32, ..Reduced::default() };
    let mut in_groups = Vec::new();
    for (doc, id, _) in judged.docs() {
        // Ids of judged documents were read from UTF-8.
        let Some(score) = results.get_item(std::str::from_utf8(id).unwrap_or_default())? else { continue };
        let score = order.comparable(score.extract()?);
        let above = falling.partition_point(|&other| other > score) as u32;
        let to = falling.partition_point(|&other| other >= score) as u32;
        if to > above + 1 {
            in_groups.push((reduced.hits.len(), score, id));
        }
        reduced.hits.push(Hit { doc: Some(doc), rank: above + 1, tied_from: above + 1, tied_to: to });
    }
    if !in_groups.is_empty() {
        rank_within_groups(results, scores, &in_groups, order.ties, &mut reduced.hits)?;
    }
    reduced.hits.sort_unstable_by_key(|hit| hit.rank);
    Ok(reduced)
}

/// Moves tied hits to their ranks within the group of equal scores.
fn rank_within_groups(
    results: &Bound<'_, PyDict>,
    scores: &[f64],
    in_groups: &[(usize, f64, &[u8])],
    ties: Ties,
    hits: &mut [Hit],
) -> PyResult<()> {
    let mut groups: Vec<f64> = in_groups.iter().map(|&(_, score, _)| score).collect();
    groups.sort_unstable_by(f64::total_cmp);
    groups.dedup();
    let mut members: Vec<Vec<Vec<u8>>> = vec![Vec::new(); groups.len()];
    for ((doc, _), score) in results.iter().zip(scores) {
        if let Ok(group) = groups.binary_search_by(|other| other.total_cmp(score)) {
            let doc = doc.cast::<PyString>()?;
            members[group].push(utf8(doc, "document")?.as_bytes().to_vec());
        }
    }
    members.iter_mut().for_each(|ids| ids.sort_unstable());
    for &(hit, score, id) in in_groups {
        let Ok(group) = groups.binary_search_by(|other| other.total_cmp(&score)) else { continue };
        let smaller = members[group].partition_point(|other| &other[..] < id);
        let before = if ties == Ties::Ascending { smaller } else { members[group].len() - 1 - smaller };
        hits[hit].rank += before as u32;
    }
    Ok(())
}

/// Reads every id, as for a file.
fn in_full(
    results: &Bound<'_, PyDict>,
    scores: &[f64],
    judgments: &Judgments,
    query: &str,
    judged: JudgedQuery<'_>,
    order: Order,
) -> PyResult<Reduced> {
    let docs: Vec<Bound<'_, PyString>> =
        results.keys().into_iter().map(|doc| doc.cast_into::<PyString>()).collect::<Result<_, _>>()?;
    let mut ids = Vec::with_capacity(docs.len());
    for doc in &docs {
        ids.push(utf8(doc, "document")?.as_bytes().to_vec());
    }
    let mut ranking = Results::new(judgments, order);
    for (id, &score) in ids.iter().zip(scores) {
        ranking.push(id, score);
    }
    // The keys of a dict are unique, so there are no duplicates.
    Ok(ranking.reduce(query.as_bytes(), Some(judged)).unwrap_or_default())
}
