#include "calibration/lens_fit.hpp"

#include <cmath>
#include <opencv2/calib3d.hpp>

// Gauss-Newton on fx fy cx cy k1 k2 p1 p2 k3 and six numbers a view. The normal equations are a few
// hundred at most: solved whole.
namespace overboard::calibration {
namespace {

constexpr int kLens = 9, kPose = 6;
constexpr int kTangential[] = {6, 7}, kThirdRadial = 8;
constexpr int kMostSteps = 12;

cv::Mat residuals(const LensFit& fit, const ObjectPoints& object, const ImagePoints& image,
                  std::size_t view, cv::Mat* jacobian) {
    cv::Mat projected, J;
    cv::projectPoints(object[view], fit.r[view], fit.t[view], fit.K, fit.distortion, projected, J);
    if (jacobian) *jacobian = J;
    cv::Mat seen = cv::Mat(image[view]).reshape(1, int(2 * image[view].size())), e;
    seen.convertTo(seen, CV_64F);
    projected.convertTo(projected, CV_64F);
    e = seen - projected.reshape(1, seen.rows);
    return e;
}

double& term(LensFit& fit, int i) {
    constexpr int kWhere[4][2] = {{0, 0}, {1, 1}, {0, 2}, {1, 2}};
    return i < 4 ? fit.K.at<double>(kWhere[i][0], kWhere[i][1]) : fit.distortion.at<double>(i - 4);
}

struct Normal {
    cv::Mat A, b;
};

void add_view(Normal& n, const cv::Mat& J, const cv::Mat& e, int view) {
    const cv::Mat lens = J.colRange(6, 6 + kLens), pose = J.colRange(0, 6);
    const cv::Range all(0, kLens), own(kLens + kPose * view, kLens + kPose * (view + 1));
    n.A(all, all) += lens.t() * lens;
    const cv::Mat cross = lens.t() * pose;
    cross.copyTo(n.A(all, own));
    cv::Mat(cross.t()).copyTo(n.A(own, all));
    n.A(own, own) += pose.t() * pose;
    n.b.rowRange(all) += lens.t() * e;
    n.b.rowRange(own) += pose.t() * e;
}

void add_prior(Normal& n, LensFit& fit, const LensPrior& prior) {
    const auto usual = [&](int i, double size) {
        const double weight = std::pow(prior.noise_px / size, 2);
        n.A.at<double>(i, i) += weight;
        n.b.at<double>(i) -= weight * term(fit, i);
    };
    const double fx = term(fit, 0), fy = term(fit, 1),
                 weight = std::pow(prior.noise_px / (prior.oblong * fx), 2);
    for (const int i : {0, 1})
        for (const int k : {0, 1}) n.A.at<double>(i, k) += i == k ? weight : -weight;
    n.b.at<double>(0) += weight * (fy - fx);
    n.b.at<double>(1) -= weight * (fy - fx);
    for (const int i : kTangential) usual(i, prior.tangential);
    usual(kThirdRadial, prior.third_radial);
}

void step(LensFit& fit, const cv::Mat& by) {
    for (int i = 0; i < kLens; ++i) term(fit, i) += by.at<double>(i);
    for (std::size_t v = 0; v < fit.r.size(); ++v) {
        const int at = kLens + kPose * int(v);
        fit.r[v] += by.rowRange(at, at + 3);
        fit.t[v] += by.rowRange(at + 3, at + 6);
    }
}

}  // namespace

void refine(LensFit& fit, const ObjectPoints& object, const ImagePoints& image,
            const LensPrior& prior) {
    const int size = kLens + kPose * int(object.size());
    for (int i = 0; i < kMostSteps; ++i) {
        Normal n{cv::Mat::zeros(size, size, CV_64F), cv::Mat::zeros(size, 1, CV_64F)};
        for (std::size_t v = 0; v < object.size(); ++v) {
            cv::Mat J;
            const cv::Mat e = residuals(fit, object, image, v, &J);
            add_view(n, J, e, int(v));
        }
        add_prior(n, fit, prior);
        cv::Mat by;
        if (!cv::solve(n.A, n.b, by, cv::DECOMP_CHOLESKY)) return;
        step(fit, by);
        if (cv::norm(by.rowRange(0, 4), cv::NORM_INF) < 1e-4) return;
    }
}

std::vector<double> errors_px(const LensFit& fit, const ObjectPoints& object,
                              const ImagePoints& image) {
    std::vector<double> all;
    for (std::size_t v = 0; v < object.size(); ++v) {
        const cv::Mat e = residuals(fit, object, image, v, nullptr);
        all.push_back(std::sqrt(e.dot(e) / double(image[v].size())));
    }
    return all;
}

}  // namespace overboard::calibration
