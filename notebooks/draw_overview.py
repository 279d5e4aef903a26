"""Draw overview.png, the picture in the README: a data set, its dendrogram, what two level functions find."""

from pathlib import Path

import matplotlib.pyplot as plt

from dendrolab import Dendrogram, embed_dendrogram, load_dataset, partition_scores, plots
from dendrolab.clusterers import kmeans_labels

table = load_dataset("two_densities")
tree = Dendrogram.from_data(table.data, linkage="average")
figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained", width_ratios=[1.4, 1, 1])
plots.draw_dendrogram(tree, n_clusters=2, max_leaves=40, ax=axes[0])
axes[0].set_title("A dendrogram (average linkage)")
for ax, level, name in zip(axes[1:], ("linkage", "level"), ("merge heights", "levels"), strict=True):
    labels = kmeans_labels(embed_dendrogram(tree, level).coordinates, 2, random_state=0)
    plots.draw_points(table.data, labels=labels, ax=ax)
    ax.set_title(f"k-means on its {name}: ARI {partition_scores(table.target, labels)['ari']:.2f}")
figure.savefig(Path(__file__).with_name("overview.png"), dpi=90)
